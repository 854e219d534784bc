"""The programs that type checkers are given: those of the README and the tutorial, the examples."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
BLOCK = re.compile(r'^```python(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
REVEALED = re.compile(r"# (?P<type>(Stream|list)\[.*\]|Payment|int)$")


def written(folder: Path) -> Path:
    """All of them in one folder."""
    (folder / "readme.py").write_text(blocks("README.md"))
    # The tutorial begins with a file of its own, and goes on with another program.
    (folder / "tutorial.py").write_text(blocks("docs/tutorial.md", without=("balances.py",)))
    for name in ("reveal.py", "wrong.py"):
        shutil.copy(HERE / name, folder / name)
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def blocks(document: str, without: tuple[str, ...] = ()) -> str:
    """The Python of a document as one module."""
    found = BLOCK.findall((ROOT / document).read_text())
    return "\n".join(text for title, text in found if title not in without)


def expected_types() -> dict[int, str]:
    """What is to be revealed, by the first line of each call of `reveal_type`."""
    found, start = {}, 0
    for number, line in enumerate((HERE / "reveal.py").read_text().split("\n"), 1):
        start = number if line.startswith("reveal_type(") else start
        if shown := REVEALED.search(line):
            found[start] = shown["type"]
    return found


def expected_errors() -> set[int]:
    """The lines of `wrong.py` that are to be found."""
    lines = (HERE / "wrong.py").read_text().split("\n")
    return {number for number, line in enumerate(lines, 1) if line.endswith("# error")}
