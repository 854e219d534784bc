"""Slices that the driver has read, in a private file instead of its memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from anabranch.engine.spark.pieces import Piece, decoded
from anabranch.engine.spark.travel import dumped
from anabranch.io.extracts import Names


@dataclass(frozen=True)
class Spooled:
    """A slice in a file of this machine."""

    path: str
    start: int
    length: int

    def pieces(self, wanted: Mapping[str, Names]) -> Iterator[Piece]:
        """It has been read already, wholly."""
        with open(self.path, "rb") as file:
            file.seek(self.start)
            yield decoded(file.read(self.length))


@contextmanager
def spooled(slices: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Where the slices are, for the tasks of this machine; the file is gone behind the block."""
    with tempfile.NamedTemporaryFile(prefix="anabranch-slices-") as file:
        places, start = [], 0
        for data in slices:
            file.write(data)
            places.append(dumped(Spooled(file.name, start, len(data))))
            start += len(data)
        file.flush()
        yield places
