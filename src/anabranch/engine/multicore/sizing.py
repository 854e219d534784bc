"""Sizing: how many rows make a slice, by what the rows of the last slices took.

It is a state machine without threads: it is told of slices that have left, and asked for a size.

>>> sizing = Sizing(most=2048)
>>> sizing.size()
16
>>> sizing.left(rows=16, seconds=16 * 50e-6); sizing.size()
60
>>> sizing.on_trial = False; sizing.size()
1600
>>> sizing.size(left=600), sizing.size(left=100), sizing.size(left=10)
(300, 200, 200)
>>> sizing.size(in_columns=True), sizing.size(in_columns=True, left=600)
(1600, 300)
>>> shared = Sizing(most=8192, divided=4, workers=4)
>>> shared.on_trial = False; shared.left(rows=100, seconds=100 * 100e-6)
>>> shared.size(), shared.size(left=4000), shared.size(left=100)
(3200, 500, 400)
>>> light = Sizing(most=2048, light=True)
>>> light.size(in_columns=True)
262144
"""

from __future__ import annotations

FIRST_SIZE = 16
"""So many rows go into a slice until it is known how long they take."""

FIRST_CHUNK, CHUNK = 2048, 262_144
"""The same for rows that come in columns, for each that has a part in them, and how many of these
make a slice at most."""

WORK_OF_A_SLICE = 0.08
"""So many seconds of computing, in all stages together, are a slice's worth: enough to forget what
it costs to pass it on, little enough to share the work evenly and to be soon done."""

SERVED_WITH_EASE = 16
"""For so many workers slices of that size are passed on with ease. More make the size grow with
them: to pass a slice on takes half a millisecond, by one."""

SMALLEST_PART, LAST_SHARED = 8, 8
"""The last slices become smaller, down to one of so many parts, so that all workers are
done at about the same time: what is left makes two slices for each worker, or so many where each is
divided between all of them."""

WORK_OF_A_SHARE = 0.08
"""The same for each of the processes between which a slice is divided: they share evenly anyway.
More would leave them idle at the beginning and the end, when a second stage waits for the first."""

WORK_OF_A_TRIAL = 0.003
"""The same as long as it is not known whether a stage needs processes: until then the work is done
here, by one. Two slices are on trial together, and both must be enough to judge by."""


class Sizing:
    """A slice has `most` rows (`most_in_columns` when they come in columns), or as many as make a
    slice's worth of work for so many `workers`, between as many processes as it is `divided`. Of
    rows in columns that are known to be `light` the first slice is full, too."""

    def __init__(self, most: int, most_in_columns: int = CHUNK, divided: int = 1,
                 workers: int = 1, light: bool = False):
        self.most, self.most_in_columns = most, most_in_columns
        self.divided, self.workers = divided, workers
        self.worth = WORK_OF_A_SHARE * divided if divided > 1 else (
            WORK_OF_A_SLICE * max(1.0, workers / SERVED_WITH_EASE))
        self.first = FIRST_SIZE * divided
        self.first_chunk = most_in_columns if light else FIRST_CHUNK * divided
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
        worth = WORK_OF_A_TRIAL if self.on_trial else self.worth
        full = max(1, min(most, int(worth / self.cost) if self.cost else self._first(in_columns)))
        if left is None or (in_columns and full == most):
            return full
        slices = LAST_SHARED if self.divided > 1 else 2 * self.workers
        return max(1, min(full, max(full // SMALLEST_PART, left // slices)))

    def _first(self, in_columns: bool) -> int:
        if self.on_trial:
            return FIRST_SIZE
        return self.first_chunk if in_columns else self.first
