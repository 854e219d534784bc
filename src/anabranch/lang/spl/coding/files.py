"""What generated code calls for files that a program opens itself.

A file is known by a number. What can fail gives its result beside an error: 0, -1 at the end of a
file, or the number that the system gives the error.
"""

from __future__ import annotations

import errno
import itertools
import os
from typing import BinaryIO

OPEN: dict[int, BinaryIO] = {}
_numbers = itertools.count(1)


def file_opened(path: str, mode: str) -> tuple[int, int]:
    try:
        file = open(path, mode.replace("b", "") + "b")  # noqa: SIM115
    except OSError as error:
        return 0, error.errno or errno.EIO
    except ValueError:
        return 0, errno.EINVAL
    number = next(_numbers)
    OPEN[number] = file
    return number, 0


def file_closed(number: int) -> tuple[int, int]:
    file = OPEN.pop(number, None)
    if file is None:
        return -1, errno.EBADF
    file.close()
    return 0, 0


def file_flushed(number: int) -> tuple[int, int]:
    if number not in OPEN:
        return -1, errno.EBADF
    OPEN[number].flush()
    return 0, 0


def line_read(number: int) -> tuple[str, int]:
    """A line without what ends it."""
    line = OPEN[number].readline() if number in OPEN else None
    if line is None:
        return "", errno.EBADF
    return line.removesuffix(b"\n").decode(errors="replace"), 0 if line else -1


def word_read(number: int) -> tuple[str, int]:
    """What stands between white space."""
    word, file = b"", OPEN.get(number)
    if file is None:
        return "", errno.EBADF
    while letter := file.read(1):
        if not letter.isspace():
            word += letter
        elif word:
            break
    return word.decode(errors="replace"), 0 if word else -1


def bytes_read(number: int, count: int | None) -> tuple[bytes, int]:
    """So many bytes, or all there are."""
    if number not in OPEN:
        return b"", errno.EBADF
    data = OPEN[number].read(-1 if count is None else count)
    return data, 0 if data or count is None else -1


def text_written(text: str, number: int) -> int:
    return bytes_written(text.encode(), number)


def bytes_written(data: bytes, number: int) -> int:
    try:
        OPEN[number].write(data)
    except KeyError:
        return errno.EBADF
    except OSError as error:
        return error.errno or errno.EBADF
    return 0


def file_place(number: int) -> tuple[int, int]:
    return (OPEN[number].tell(), 0) if number in OPEN else (-1, errno.EBADF)


def file_moved(number: int, offset: int, whence: int) -> int:
    try:
        OPEN[number].seek(offset, whence)
    except KeyError:
        return errno.EBADF
    except (OSError, ValueError):
        return errno.EINVAL
    return 0


def file_at_end(number: int) -> bool:
    return number not in OPEN or not OPEN[number].peek(1)


def path_removed(path: str) -> int:
    try:
        os.rmdir(path) if os.path.isdir(path) else os.remove(path)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def folder_made(path: str, mode: int) -> int:
    try:
        os.mkdir(path, mode)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def is_error(number: int, name: str) -> bool:
    return number == getattr(errno, name)


def environment(name: str, otherwise: str = "") -> str:
    return os.environ.get(name, otherwise)
