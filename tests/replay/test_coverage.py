from pathlib import Path
from typing import Any

from replay.coverage import Coverage, changed_lines

Report = Any
BEFORE = 'def f(x):\n    """Text."""\n    if x:\n        return 1\n    return 2\n\n\nLIMIT = 3\n'


def tree(root: Path, text: str) -> Path:
    (root / "core").mkdir(parents=True)
    (root / "core/a.py").write_text(text)
    return root


def test_changed_lines_are_those_that_can_run(tmp_path: Path) -> None:
    base = tree(tmp_path / "base", BEFORE)
    same = tree(tmp_path / "same", BEFORE)
    comment = tree(tmp_path / "comment", BEFORE.replace("Text", "Other text") + "# more\n")
    code = tree(tmp_path / "code", BEFORE.replace("return 1", "return 1 + 0").replace("LIMIT = 3", "LIMIT = 4"))
    broken = tree(tmp_path / "broken", BEFORE.replace("return 1", "return ("))
    assert changed_lines(base, same, "core") == {}
    assert changed_lines(base, comment, "core") == {}
    assert changed_lines(base, code, "core") == {"core/a.py": {4}}
    assert changed_lines(base, broken, "core") == {}


def test_what_is_said() -> None:
    assert Coverage(0, 0).sentence.startswith("no line that runs was changed")
    assert Coverage(3, 3).sentence == "the corpus runs all 3 changed lines"
    said = Coverage(17, 14, ["core/a.py:120-122"]).sentence
    assert said == "3 of 17 changed lines were never run by the corpus: core/a.py:120-122"
