"""Small pieces of the input that travel together.

A piece is what a source gives at once, and tells how far it has come. To pass one on takes as long
as some hundred rows, and the next tells all that it told and more: those that come while everybody
has enough to do become one slice.
"""

from __future__ import annotations

from anabranch.engine.multicore.feed import Chunk, in_one

SMALL = 8
"""A piece is small if so many make a full slice: to put larger ones together gains nothing."""

SMALL_SHARE = 8192
"""It is small, too, if each of those between whom slices are divided would have fewer rows than
that: to begin with a share costs them as much as some hundred."""


def is_small_for(rows: int, full: int, divided: int) -> bool:
    """Whether so many rows are better not alone, where a full slice has so many.

    >>> is_small_for(100, 1000, 1), is_small_for(65_536, 262_144, 4)
    (True, False)
    >>> is_small_for(65_536, 262_144, 12), is_small_for(65_536, 70_000, 12)
    (True, False)
    """
    return rows * SMALL <= full or (2 * rows <= full and rows < SMALL_SHARE * divided)


class Pieces:
    """Those that wait in the open slice.

    >>> from anabranch.engine.multicore.slices import Batch
    >>> pieces = Pieces()
    >>> pieces.add(Chunk({"q": Batch(range(2), [7, 8])}, 2))
    >>> pieces.add(Chunk({"q": Batch(range(1), [9])}, 1))
    >>> pieces.rows, pieces.taken().batches["q"].items, pieces.rows
    (3, [7, 8, 9], 0)
    """

    def __init__(self):
        self.chunks: list[Chunk] = []
        self.rows = 0

    def add(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        self.rows += chunk.rows

    def go_with(self, chunk: Chunk, full: int) -> bool:
        """Whether there are some that it can go with, in a slice of so many rows at most. Columns
        and lists do not go together: one of both would have to become what the other is."""
        return bool(self.chunks) and self.rows + chunk.rows <= full and (
            self.chunks[-1].in_columns == chunk.in_columns)

    def taken(self) -> Chunk:
        """All of them as one; then there are none."""
        chunk, self.chunks, self.rows = in_one(self.chunks), [], 0
        return chunk
