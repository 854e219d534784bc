"""Volumes: the pages that one task leaves, of all its buckets, behind each other in one file.

A file for each page would cost a batch more than its rows do. A volume only grows, and a task that
is killed leaves a volume whose last page is cut; it does not count.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import Struct
from typing import BinaryIO, NamedTuple

from anabranch.engine.spark.streaming.durable import (
    DIGEST,
    PRIVATE,
    damaged,
    digest,
    failing,
)
from anabranch.engine.spark.streaming.manifest import Place

_HEAD = Struct(f"<IIBQ{DIGEST}s")


class Entry(NamedTuple):
    """A page in a volume: whose it is, whether it has every key, and where it stands."""

    place: Place
    every: bool
    start: int
    size: int
    known: bytes


def append(path: str, place: Place, every: bool, page: bytes) -> None:
    """Puts a page behind those that are there."""
    head = _HEAD.pack(*place, every, len(page), digest(page))
    with failing("write"), open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE),
                                "ab") as file:
        file.write(head + page)


def kept(path: str) -> list[Entry]:
    """The whole pages of a volume, which from now on outlives a crash."""
    with failing("read"), open(path, "rb") as file:
        os.fsync(file.fileno())
        return list(_entries(file))


def page_of(path: str, place: Place) -> bytes:
    """A page of a volume; a `RunError` when it is not what was written."""
    if not os.path.exists(path):
        raise damaged(path)
    with failing("read"), open(path, "rb") as file:
        found = next((entry for entry in _entries(file) if entry.place == place), None)
        if found is not None:
            file.seek(found.start)
            page = file.read(found.size)
            if digest(page) == found.known:
                return page
    raise damaged(path)


def _entries(file: BinaryIO) -> Iterator[Entry]:
    end, start = os.fstat(file.fileno()).st_size, 0
    while start + _HEAD.size <= end:
        file.seek(start)
        stage, bucket, every, size, known = _HEAD.unpack(file.read(_HEAD.size))
        start += _HEAD.size + size
        if start <= end:
            yield Entry((stage, bucket), bool(every), start - size, size, known)

