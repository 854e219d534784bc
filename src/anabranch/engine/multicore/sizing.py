"""Sizing: how many rows make a slice, and how many slices are under way."""

from __future__ import annotations

from anabranch.engine.multicore.crew import Crew
from anabranch.plan.tuning import costs
from anabranch.runtime.ends.columns import Chunk, in_one

SERVED_IN_TURN = 8
"""So many workers have their parts of such a slice before the next one begins; more need larger
slices: what it costs to begin with a part is the interpreter's, one after another."""


def largest(divided: int) -> int:
    """How many rows in columns make a slice at most, where it is divided between so many.

    >>> largest(1), largest(2), largest(16)
    (262144, 262144, 524288)
    """
    return costs().most_columns_of_slice * max(1, divided // SERVED_IN_TURN)


SERVED_WITH_EASE = 16
"""For so many workers slices of that size are passed on with ease. More make the size grow with
them: to pass a slice on takes half a millisecond, by one."""

SMALLEST_PART, LAST_SHARED = 8, 8
"""The last slices become smaller, down to one of so many parts, so that all workers are
done at about the same time: what is left makes two slices for each worker, or so many where each is
divided between all of them."""

CALLS_OF_A_DEALT_SHARE = 4
"""A share that is dealt to buckets should have so many times as many rows: each has a call."""


class Sizing:
    """A slice has `most` rows (`most_in_columns` when they come in columns), or as many as make a
    slice's worth of work for so many `workers`, between as many processes as it is `divided`, who
    should have a `share` of so many rows each. Until it is known how long rows take, `few` are a
    slice; of rows in columns that are known to be `light` the first slice is full, too.

    A slice's worth of work is enough to forget what it costs to pass it on, and little enough to
    share the work evenly and to be soon done. Between processes it is shared evenly anyway; more
    would leave them idle at both ends, when a second stage waits for the first. Two slices are on
    trial together, and both must be enough to judge by.
    """

    def __init__(self, most: int, most_in_columns: int | None = None, divided: int = 1,
                 workers: int = 1, light: bool = False, share: int | None = None,
                 few: int | None = None):
        known = costs()
        self.most, self.share = most, known.rows_of_share if share is None else share
        self.most_in_columns = most_in_columns or known.most_columns_of_slice
        self.divided, self.workers = divided, workers
        self.worth = known.slice_work * (
            divided if divided > 1 else max(1.0, workers / SERVED_WITH_EASE))
        self.few = known.first_rows if few is None else few
        self.first = self.few * divided
        self.first_chunk = self.most_in_columns if light else known.first_columns * divided
        self.cost, self.on_trial = 0.0, not light

    def left(self, rows: int, seconds: float) -> None:
        """A slice has left, for which all stages together computed so long. The last ones count
        most: a kernel that takes over makes rows much cheaper."""
        if rows and seconds:
            self.cost = (self.cost + seconds / rows) / 2 if self.cost else seconds / rows

    def size(self, in_columns: bool = False, left: int | None = None) -> int:
        """How many rows the next slice should have, when so many are `left`, about; those of full
        slices in columns are too light to be worth another slice."""
        most = self.most_in_columns if in_columns else self.most
        worth = costs().trial_work if self.on_trial else self.worth
        full = max(1, min(most, int(worth / self.cost) if self.cost else self._first(in_columns)))
        if left is None or (in_columns and full == most):
            return full
        slices = LAST_SHARED if self.divided > 1 else 2 * self.workers
        return max(1, min(full, max(full // SMALLEST_PART, left // slices)))

    def _first(self, in_columns: bool) -> int:
        if self.on_trial:
            return self.few
        return self.first_chunk if in_columns else self.first


SMALL = 8
"""A piece is small if so many make a full slice: to put larger ones together gains nothing."""


def is_small_for(rows: int, full: int, divided: int, share: int) -> bool:
    """Whether so many rows are better not alone, where a full slice has so many; or as each of
    those between whom it is divided would have less than a share.

    >>> is_small_for(100, 1000, 1, 8192), is_small_for(65_536, 262_144, 4, 8192)
    (True, False)
    >>> is_small_for(65_536, 262_144, 12, 8192), is_small_for(65_536, 70_000, 12, 8192)
    (True, False)
    """
    return rows * SMALL <= full or (2 * rows <= full and rows < share * divided)


class OpenPieces:
    """Those that wait in the open slice.

    >>> from anabranch.batch.slices import Batch
    >>> pieces = OpenPieces()
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


SLICES_ON_TRIAL, LAST_TRIAL = 2, 64
"""As long as it is not known whether a stage needs processes, so many slices are under way at most,
and so many come in all."""


class Room:
    """Room for `bound` slices, each of which is `divided` between so many processes. It is taken
    before a slice begins; while `is_kept` there is some that no slice has yet."""

    def __init__(self, crew: Crew, sizing: Sizing, bound: int, divided: int):
        self.crew, self.sizing, self.bound = crew, sizing, bound
        self.plenty = 2 + crew.workers // divided
        self.under_way = self.most_under_way = self.begun = 0
        self.is_kept = False

    def keep(self) -> None:
        """Takes the room for one more slice as soon as there is some, for whoever begins one."""
        self.take()
        self.is_kept = True

    def take(self) -> None:
        with self.crew.changed:
            while self.under_way >= self._bound() and not self.crew.stopped:
                self.crew.changed.wait()
            if self.crew.stopped:
                raise Stopped
            self.under_way += 1
            self.begun += 1
            self.most_under_way = max(self.most_under_way, self.under_way)

    def used(self) -> bool:
        """Whether there was room, which a slice has now."""
        was_kept, self.is_kept = self.is_kept, False
        return was_kept

    def give_back(self) -> None:
        """A slice has left: there is room for another."""
        with self.crew.changed:
            self.under_way -= 1
            self.crew.changed.notify_all()
            self.crew.tell()

    def wait_until_empty(self) -> None:
        with self.crew.changed:
            while self.under_way > self.is_kept and not self.crew.stopped:
                self.crew.changed.wait()

    @property
    def has_plenty(self) -> bool:
        """Whether everybody has enough to do."""
        return self.under_way > self.plenty

    @property
    def is_short(self) -> bool:
        """The same where it can wait: also when there is hardly room for another."""
        return self.under_way > min(self.plenty, max(1, self._bound() - 1))

    def _bound(self) -> int:
        return min(self.bound, SLICES_ON_TRIAL) if self._is_on_trial() else self.bound

    def _is_on_trial(self) -> bool:
        self.sizing.on_trial = self.sizing.on_trial and self.begun < LAST_TRIAL and not all(
            service.settled for service in self.crew.network.services)
        return self.sizing.on_trial


class Stopped(Exception):
    """The crew has stopped: nothing more is taken in."""
