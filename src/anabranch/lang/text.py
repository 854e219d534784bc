"""The text of a program: as it is on disk, or as an editor has it unsaved."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType

from anabranch.core.errors import ProgramError

_unsaved: ContextVar[Mapping[str, str]] = ContextVar("unsaved texts",
                                                     default=MappingProxyType({}))


def program_text(path: Path) -> str:
    """The text of a file that is part of a program."""
    if (text := _unsaved.get().get(str(path))) is not None:
        return text
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProgramError(f"the program is not UTF-8 text: {error.reason}", str(path)) from None


@contextmanager
def unsaved(texts: Mapping[str, str]) -> Iterator[None]:
    """Programs are read meanwhile from these texts by their paths, and errors underline them."""
    for path, text in texts.items():
        # Without a time of change, nobody looks whether the file on disk is another one.
        linecache.cache[path] = (len(text), None, [f"{line}\n" for line in text.split("\n")], path)
    token = _unsaved.set(texts)
    try:
        yield
    finally:
        _unsaved.reset(token)
