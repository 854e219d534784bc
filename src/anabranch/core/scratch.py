"""Temporary folders; those that a killed process has left, the next one removes.

Each is locked as long as its process lives. The system lets go of the lock however that ends, so
a folder that nobody has locked has been left behind.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

A_WHILE = 60.0
"""Seconds after which a folder that its process has just made is sure to be locked."""


@contextmanager
def scratch_folder(kind: str) -> Iterator[Path]:
    """A private folder that is gone behind the block."""
    folder, number = _made(kind)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(number)


def scratch_to_the_end(kind: str) -> Path:
    """A private folder that is gone when the process ends."""
    folder, _ = _made(kind)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _made(kind: str) -> tuple[Path, int]:
    prefix = f"anabranch-{kind}-"
    _remove_left(prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    # Some file systems have no locks; what is left there, nobody removes.
    with suppress(OSError):
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return folder, number


def _remove_left(prefix: str) -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            found = path.lstat()
            if (stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
                    and time.time() - found.st_mtime > A_WHILE):
                _remove_unlocked(path)


def _remove_unlocked(path: Path) -> None:
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(number)
