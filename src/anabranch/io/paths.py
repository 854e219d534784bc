"""The files that a path names: a file, a folder's files of one format, or a glob; in name order."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from anabranch.errors import RunError, did_you_mean
from anabranch.source import Span


def files_of(path: str, extensions: tuple[str, ...], where: Span | None = None) -> list[str]:
    """The files in name order; an error when there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv", "notes.txt"):
    ...         _ = open(os.path.join(folder, name), "w").close()
    ...     [os.path.basename(file) for file in files_of(folder, (".csv",))]
    ['a.csv', 'b.csv']
    """
    if os.path.isdir(path):
        found = _folder_files(path, extensions, where)
    elif os.path.exists(path):
        found = [path]
    elif is_glob(path):
        found = sorted(f for f in glob.glob(path, recursive=True) if os.path.isfile(f))
    else:
        raise RunError(f"there is no file '{path}'", where, help=_suggestion(path))
    if not found:
        raise RunError(f"there is nothing to read at '{path}'", where,
                       expected="a file name that matches" if is_glob(path)
                       else f"files named *{' or *'.join(extensions)}",
                       help=_suggestion(path) if is_glob(path) else _contents(path))
    return found


def is_glob(path: str) -> bool:
    return any(character in path for character in "*?[")


@contextmanager
def opened(file: str, where: Span | None = None) -> Iterator[BinaryIO]:
    """The bytes of a file; a failure to open or read it is an error that names it."""
    try:
        with open(file, "rb") as stream:
            yield stream
    except OSError as error:
        raise RunError(f"cannot read '{file}': {error.strerror or error}", where) from error


def _folder_files(folder: str, extensions: tuple[str, ...], where: Span | None) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise RunError(f"cannot read '{folder}': {error.strerror}", where) from error
    files = [os.path.join(folder, name) for name in names
             if not name.startswith(".") and name.lower().endswith(extensions)]
    return [file for file in files if os.path.isfile(file)]


def _suggestion(path: str) -> str | None:
    """A close name in the same folder; if the folder itself is missing, a close folder."""
    folder, name = os.path.split(path.rstrip(os.sep))
    if folder and not os.path.isdir(folder):
        hint = None if is_glob(folder) else _suggestion(folder)
        return f"there is no folder '{folder}'{f'; {hint}' if hint else ''}"
    names = _names(folder)
    hint = did_you_mean(name, names[:1000])
    return hint if len(names) <= 10 or (hint or "").startswith("did you mean") else None


def _contents(folder: str) -> str:
    names = _names(folder)
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"it holds {', '.join(names[:10])}{more}" if names else "the folder is empty"


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or "."))
    except OSError:
        return []
