"""Files that are there whole and unchanged, or not at all; only their owner may see them."""

from __future__ import annotations

import os
from contextlib import suppress
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
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb") as file:
            file.write(_digest(data))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise RunError(f"cannot write the checkpoint: {error}") from error


def got(path: str) -> bytes:
    """The data of a file; a `RunError` when it is not what was written."""
    try:
        with open(path, "rb") as file:
            digest, data = file.read(DIGEST), file.read()
    except OSError as error:
        raise RunError(f"cannot read the checkpoint: {error}") from error
    if digest != _digest(data):
        raise RunError("the checkpoint is damaged", path,
                       help="--start-over begins anew, with the whole input")
    return data


def made(folder: str) -> str:
    """A folder that only its owner may look into, with those above it."""
    os.makedirs(folder, 0o700, exist_ok=True)
    return folder


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST).digest()
