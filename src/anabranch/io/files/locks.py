"""One run at a time writes a file or a folder.

What a run writes has a hidden name beside its final place, always the same one, and is locked. The
system lets go of the lock when the run ends, however it ends. So another run that comes meanwhile
is refused, and one that comes after a run was killed takes over what that one has left.
"""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress
from errno import EACCES, EAGAIN
from hashlib import blake2b

from anabranch.core.errors import RunError
from anabranch.core.source import Span

LONGEST = 100


def hidden_name(target: str) -> str:
    """The name of what is going to be at a place, as long as it is not complete.

    >>> hidden_name("/data/out.csv")
    '/data/.out.csv.tmp'
    """
    folder, name = os.path.split(target)
    if len(name) > LONGEST:
        name = f"{name[:LONGEST]}-{blake2b(os.fsencode(name), digest_size=6).hexdigest()}"
    return os.path.join(folder, f".{name}.tmp")


def locked_file(path: str, shown: str, where: Span | None) -> int:
    """An empty file that no other run has open, as a descriptor; `OSError` when none can be made.
    """
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            lock(number, shown, where)
            if _is_still(path, number):
                os.ftruncate(number, 0)
                os.fchmod(number, 0o600)
                return number
        except BaseException:
            os.close(number)
            raise
        # Another run has completed it between the two steps.
        os.close(number)


def locked_folder(path: str, shown: str, where: Span | None) -> int:
    """The same of a folder, in which something may have been left."""
    while True:
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
        try:
            number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            lock(number, shown, where)
            if _is_still(path, number):
                return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def lock(number: int, shown: str, where: Span | None) -> None:
    """Locks an open file or folder, until it is closed; refuses one that another run has locked."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some file systems have no locks.
        if error.errno in (EAGAIN, EACCES):
            raise RunError(f"cannot write '{shown}': another run writes it{_holder(number)}", where,
                           help="wait for its end, or name another file") from None


def unlock(number: int) -> None:
    """Lets go of a lock at once, also where forked processes still have the file open."""
    with suppress(OSError):
        fcntl.flock(number, fcntl.LOCK_UN)
    os.close(number)


def _is_still(path: str, number: int) -> bool:
    """Whether the path leads to what is open, and to nobody else's file."""
    own = os.fstat(number)
    if own.st_uid != os.geteuid() or (stat.S_ISREG(own.st_mode) and own.st_nlink > 1):
        raise PermissionError(EACCES, f"'{path}' is not of this user's own making")
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


def _holder(number: int) -> str:
    """Who has locked a file, where the system tells."""
    inode = os.fstat(number).st_ino
    try:
        with open("/proc/locks") as locks:
            found = [words[4] for words in map(str.split, locks)
                     if len(words) > 5 and words[1] == "FLOCK" and words[5].endswith(f":{inode}")]
    except OSError:
        found = []
    return f" (pid {found[0]})" if found else ""
