"""The folder of compiled kernels, with notes on which programs have theirs there.

It is the user's own, so that no one else could put code there. The notes say, by the text of a
program, how many kernels it has on disk, and what its rows took without them.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from anabranch.core.scratch import scratch_to_the_end
from anabranch.ir.graph import Graph


@lru_cache(maxsize=1)
def folder() -> Path:
    """The user's cache folder for kernels, or one for this process when that is not safe."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    chosen = Path(base) / "anabranch" / "kernels"
    try:
        chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Who may rename a folder's parent could put another one in its place.
        if _is_private(chosen) and _is_private(chosen.parent):
            return chosen
    except (OSError, RuntimeError):
        pass
    return scratch_to_the_end("kernels")


def _is_private(path: Path) -> bool:
    """Whether no one else could have put code there."""
    found = path.stat()
    return (found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o022
            and os.access(path, os.W_OK))


def write_file(file: Path, text: str) -> None:
    """Writes a file whole: whoever reads it sees the old text or the new one."""
    handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as out:
        out.write(text)
    os.replace(temporary, file)


SETTING = "ANABRANCH_COMPILE"
"""`background` (so it is when nothing is said): kernels are compiled in a process of their own and
noted. `here`: in a thread of the run, whose end is theirs, and nothing is noted or looked up."""


def in_background() -> bool:
    return os.environ.get(SETTING, "background") != "here"


COST = ".cost"
MOST_ATTEMPTS = 3
"""A compilation that was begun so often and never came to its end is not begun again."""


def kernels_known(graph: Graph) -> int | None:
    """How many kernels of the program are compiled; None when nobody knows."""
    noted = _noted(graph)
    return None if noted is None or -MOST_ATTEMPTS < noted < 0 else max(0, noted)


def note_kernels(graph: Graph, count: int) -> None:
    """Remembers that so many kernels of the program are on disk."""
    _write(graph, "", str(count))


def note_attempt(graph: Graph) -> None:
    """Remembers that the compilation of the program has begun, once more if it never ended."""
    note_kernels(graph, min(0, _noted(graph) or 0) - 1)


def cost_known(graph: Graph) -> float:
    """So many seconds a row of the program took without kernels, when it was last measured."""
    return _read(graph, COST, float) or 0.0


def note_cost(graph: Graph, seconds: float) -> None:
    """Remembers what a row takes without kernels."""
    _write(graph, COST, f"{seconds:.3g}")


def _noted(graph: Graph) -> int | None:
    """How many kernels there are; below zero, how often somebody began to compile them."""
    return _read(graph, "", int)


def _read(graph: Graph, suffix: str, parse: Callable[[str], float]) -> float | None:
    note = _note(graph, suffix) if in_background() else None
    try:
        return parse(note.read_text()) if note else None
    except (OSError, ValueError):
        return None


def _write(graph: Graph, suffix: str, text: str) -> None:
    if in_background() and (note := _note(graph, suffix)):
        note.parent.mkdir(mode=0o700, exist_ok=True)
        write_file(note, text)


def _note(graph: Graph, suffix: str) -> Path | None:
    """The file of a program's note; None when its text is not at hand."""
    files = sorted({op.span.file for op in graph if op.span})
    try:
        texts = [Path(file).read_bytes() for file in files]
    except OSError:
        return None
    key = hashlib.sha256(b"\0".join(texts)).hexdigest()[:24]
    return folder() / "programs" / f"{key}{suffix}" if files else None
