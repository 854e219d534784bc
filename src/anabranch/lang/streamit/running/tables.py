"""Arrays that a program has in files of text, one number in each line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from anabranch.errors import RunError
from anabranch.lang.streamit.running.plain import count, single, wrap

HOW = {"int": (int, wrap, np.int64), "float": (float, single, np.float64)}


def tables(folder: Path) -> dict[str, Callable]:
    """The functions that generated text calls, for files beside the program."""
    return {f"_table_{kind}": partial(table, folder, kind) for kind in HOW}


def table(folder: Path, kind: str, path: str, length: int) -> np.ndarray:
    """The first numbers of a file."""
    lines = _lines(folder / path)[:count(length)]
    if len(lines) < length:
        raise RunError(f"{path} has too few numbers", expected=str(length), got=str(len(lines)))
    read, rounded, dtype = HOW[kind]
    return np.array([rounded(_number(path, line, read)) for line in lines], dtype)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise RunError(f"{path} is not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from None


def _number(path: str, line: str, read: Callable) -> object:
    try:
        return read(line)
    except ValueError:
        raise RunError(f"{path} has a line that is no number", got=repr(line)) from None
