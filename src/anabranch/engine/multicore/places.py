"""Places in the input of a stage as numbers that rise with them, for kernels to remember.

A place is (number of a slice, row in it). What comes at the end of the input has the number of that
slice, and for its row the place of the key that caused it.

>>> places = Places()
>>> first, second = places.begin(4, range(3)), places.begin(9, range(2))
>>> places.of(second + 1), places.stamp((9, 1)) == second + 1
((9, 1), True)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np

from anabranch.kernels.stamps import FIRST_END, at_end

Place = tuple


class Places:
    """Remembers with which number each slice begins; the first `noted` of them are saved."""

    def __init__(self):
        self.noted = 0
        self.starts: list[int] = []
        self.numbers: list[object] = []
        self.start_of: dict[object, int] = {}
        self.ends: dict[int, object] = {}
        self.next = 0

    def begin(self, number: object, rows: Sequence[int]) -> int:
        """The number of row 0 of a slice, some of whose rows come now, in order."""
        start = self.start_of[number] = self.next
        self.starts.append(start)
        self.numbers.append(number)
        self.next += int(rows[-1]) + 1 if len(rows) else 0
        return start

    def end(self, operator: int, number: object) -> None:
        """The stateful operator of this number ends with this slice."""
        self.ends[operator] = number

    def of(self, stamp: int) -> Place:
        if stamp >= FIRST_END:
            operator = (stamp // FIRST_END).bit_length() - 1
            return self.ends[operator], self.of(stamp - at_end(operator, 0))
        slice_ = bisect_right(self.starts, stamp) - 1
        return self.numbers[slice_], stamp - self.starts[slice_]

    def stamp(self, place: Place) -> int:
        number, row = place
        return self.start_of[number] + row

    def learn(self, places: Iterable[Place]) -> None:
        """Makes places known that were noted elsewhere, before any slice of this line's own."""
        last: dict[object, int] = {}
        for number, row in places:
            last[number] = max(row, last.get(number, 0))
        for number in sorted(last):
            if number not in self.start_of:
                self.begin(number, (last[number],))

    def keep(self, stamps: np.ndarray) -> None:
        """Forgets the slices of which no row has one of the stamps."""
        if self.starts:
            chosen = np.unique(np.searchsorted(self.starts, stamps, side="right") - 1).tolist()
            slices = [(self.numbers[n], self.starts[n]) for n in chosen]
            self.start_of = dict(slices)
            self.numbers, self.starts = [n for n, _ in slices], [start for _, start in slices]

    def saved(self, first: int) -> list:
        """What is known of the slices from the `first` on, for `restore`."""
        return [self.numbers[first:], self.starts[first:], self.next]

    def restore(self, saved: Sequence) -> None:
        """Makes slices known behind those that are."""
        numbers, starts, self.next = saved
        self.numbers += numbers
        self.starts += starts
        self.start_of |= dict(zip(numbers, starts))
