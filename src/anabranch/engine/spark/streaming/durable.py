"""Files that are there whole and unchanged, or not at all; only their owner may see them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from uuid import uuid4

from anabranch.errors import RunError

PRIVATE = 0o600
DIGEST = 16


def put(path: str, data: bytes) -> None:
    """Writes a file in one step: also after a crash it is the old one or the new one."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{uuid4().hex}")
    try:
        with failing("write"), _new(temporary) as file:
            file.write(digest(data))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path)
    except RunError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def got(path: str) -> bytes:
    """The data of a file; a `RunError` when it is not what was written."""
    with failing("read"), open(path, "rb") as file:
        expected, data = file.read(DIGEST), file.read()
    if expected != digest(data):
        raise damaged(path)
    return data


def made(folder: str) -> str:
    """A folder that only its owner may look into, with those above it."""
    os.makedirs(folder, 0o700, exist_ok=True)
    return folder


def digest(data: bytes) -> bytes:
    """By which changed data is noticed."""
    return blake2b(data, digest_size=DIGEST).digest()


def damaged(path: str) -> RunError:
    return RunError("the checkpoint is damaged", path,
                    help="--start-over begins anew, with the whole input")


@contextmanager
def failing(doing: str) -> Iterator[None]:
    """What the system refuses inside of it is a `RunError`."""
    try:
        yield
    except OSError as error:
        raise RunError(f"cannot {doing} the checkpoint: {error}") from error


def _new(path: str):
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb")
