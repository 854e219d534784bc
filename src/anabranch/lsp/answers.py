"""The questions that a server asks about a program, and their answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anabranch.compile  # noqa: F401  (imported once, before processes are forked)
from anabranch.lang.text import unsaved
from anabranch.lsp.completion import completions
from anabranch.lsp.findings import findings


def answers(asked: dict, seconds: float) -> Iterator[dict]:
    """`asked` has the path, the texts that an editor has, and for completions a line and column.
    The last answer is the whole one; those before are what is known by then."""
    path, texts = Path(asked["path"]), asked["texts"]
    text = texts[str(path)]
    # What a program in Python imports comes from the disk, and so must its lines.
    with unsaved({str(path): text} if path.suffix == ".py" else texts):
        if "column" in asked:
            yield {"items": completions(path, text, asked["line"], asked["column"], seconds)}
        else:
            yield from findings(path, text, seconds)
