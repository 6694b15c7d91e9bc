"""Show a fixed sample of 400 published ASTs to the real compiler of every backend.

    python tests/conformance/acceptance.py ../shared/data [--backend NAME]... [--limit N]
    python tests/conformance/acceptance.py ../shared/data --select > tests/conformance/acceptance-lines.txt

The sample covers every op, dtype and opt that the ASTs have, tensor cores, images and symbolic shapes; its first lines
cover most. A refusal is printed with what the compiler says of it.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

REPOSITORY = Path(__file__).resolve().parents[2]
if str(REPOSITORY) not in sys.path:
    sys.path.insert(0, str(REPOSITORY))

from core.compiler import compile_ast  # noqa: E402
from core.errors import RenderError  # noqa: E402
from core.ir.text import parse_uop  # noqa: E402
from core.render import BACKENDS, get_renderer  # noqa: E402
from core.toolchain import NONE, check  # noqa: E402

LINES = Path(__file__).with_name("acceptance-lines.txt")
COUNT = 400
LONGEST = 20_000  # characters: giant kernels show nothing that small ones do not


def sample() -> list[int]:
    """The numbers of the sample's ASTs, counted from 0."""
    return [int(line) for line in LINES.read_text().split()]


def asts(data: Path, lines: Iterable[int]) -> Iterator[tuple[int, str]]:
    wanted = set(lines)
    with gzip.open(data / "asts.txt.gz", "rt") as stream:
        texts = {line: text.strip() for line, text in enumerate(stream) if line in wanted}
    return ((line, texts[line]) for line in lines)


def refusals(backend: str, texts: Iterable[tuple[int, str]]) -> tuple[int, list[str]]:
    """(how many sources were accepted, what was said of the others). Raises LookupError where no compiler ran."""
    renderer = get_renderer(backend)
    rendered, complaints = [], []
    for line, text in texts:
        if "dtypes.image" in text and not renderer.has_images:
            continue
        try:
            rendered.append((line, compile_ast(parse_uop(text), renderer, name_override=f"k{line}").src))
        except RenderError as error:
            complaints.append(f"line {line}: {error}")
    verdicts = check(backend, [source for _, source in rendered])
    for (line, _), row in zip(rendered, verdicts, strict=True):
        for verdict in row:
            if verdict.accepted is None:
                raise LookupError(f"{verdict.tool}: {verdict.message}")
            if not verdict.accepted:
                complaints.append(f"line {line}: {verdict.tool}: {verdict.message}")
    return len(rendered), complaints


def select(data: Path) -> list[int]:
    """Lines that cover all features soonest, then some at equal distances up to `COUNT`."""
    features = _features(data)
    chosen: list[int] = []
    missing = set().union(*features.values())
    while missing:
        best = min(features, key=lambda line: (-len(features[line] & missing), line))
        chosen.append(best)
        missing -= features[best]
    rest = [line for line in features if line not in set(chosen)]
    wanted = COUNT - len(chosen)
    return chosen + [rest[index * len(rest) // wanted] for index in range(wanted)]


def _features(data: Path) -> dict[int, set[str]]:
    with gzip.open(data / "asts.txt.gz", "rt") as stream:
        texts = [text.strip() for text in stream]
    found: dict[int, set[str]] = {}
    for line, text in enumerate(texts):
        if len(text) <= LONGEST:
            dtypes = set(re.findall(r"dtypes\.(\w+)", text))
            ops = set(re.findall(r"Ops\.(\w+)", text))
            found[line] = {f"dtype {name}" for name in dtypes} | {f"{op} of {d}" for op in ops for d in dtypes}
            found[line] |= {"symbolic"} if "DEFINE_VAR" in text else set()
    with gzip.open(data / "reference-opts.jsonl.gz", "rt") as stream:
        for text in stream:
            row = json.loads(text)
            if row["i"] in found:
                found[row["i"]] |= set(_opts(row))
    return found


def _opts(row: dict[str, object]) -> Iterator[str]:
    """`metal TC`, `c UPCAST` for every backend of a line of the reference."""
    for backend, given in row.items():
        text = json.dumps(given)
        for op in ("TC", "UPCAST", "UNROLL", "LOCAL", "GROUP", "GROUPTOP", "NOLOCALS", "PADTO", "SWAP"):
            if f'"{op}"' in text or f"OptOps.{op}" in text:
                yield f"{backend} {op}"


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--backend", "backends", multiple=True, help="May be repeated. Default: all that a compiler judges.")
@click.option("--limit", type=click.IntRange(min=1), default=COUNT, help="The first so many of the sample.")
@click.option("--select", "selecting", is_flag=True, help="Print the lines of a new sample instead.")
def main(data: Path, backends: tuple[str, ...], limit: int, selecting: bool) -> None:
    """Judge the sample; exit code 1 if a source is refused, 2 if a compiler is missing."""
    if selecting:
        print("\n".join(map(str, select(data))))
        return
    code = 0
    for backend in backends or [name for name in BACKENDS if name not in NONE]:
        started = time.perf_counter()
        try:
            count, complaints = refusals(backend, asts(data, sample()[:limit]))
        except LookupError as error:
            print(f"{backend}: not run, because {error}")
            code = max(code, 2)
            continue
        for complaint in complaints:
            print(f"  {complaint}")
        seconds = time.perf_counter() - started
        print(f"{backend}: {count - len(complaints)} of {count} accepted in {seconds:.1f} s", flush=True)
        code = max(code, 1 if complaints else 0)
    sys.exit(code)


if __name__ == "__main__":
    main()
