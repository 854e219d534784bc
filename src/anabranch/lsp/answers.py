"""The questions that a server asks about a program, and their answers."""

from __future__ import annotations

from pathlib import Path

import anabranch.compile  # noqa: F401  (imported once, before processes are forked)
from anabranch.lang.text import unsaved
from anabranch.lsp.completion import completions
from anabranch.lsp.findings import findings


def answer(asked: dict, seconds: float) -> dict:
    """`asked` has the path, the texts that an editor has, and for completions a line and column."""
    path, texts = Path(asked["path"]), asked["texts"]
    with unsaved(texts):
        text = texts[str(path)]
        if "column" in asked:
            return {"items": completions(path, text, asked["line"], asked["column"], seconds)}
        return findings(path, text, seconds)
