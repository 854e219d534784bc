"""Pages: the state of a stage saved piece by piece, each with the keys touched since the last one.

The first byte of a page says whether it is whole, with every key, and so replaces all before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

WHOLE, DELTA = b"*", b"+"


def latest(pages: Sequence[bytes]) -> list[bytes]:
    """The last whole page and those behind it.

    >>> latest([b"*a", b"+b", b"*c", b"+d"])
    [b'*c', b'+d']
    """
    whole = [n for n, page in enumerate(pages) if page[:1] == WHOLE]
    return list(pages[whole[-1]:]) if whole else list(pages)


class Tracked(dict):
    """A map of states that remembers which keys it was asked for, and the place of each key."""

    def __init__(self, states: dict):
        super().__init__(states)
        self.touched: set = set()
        self.places: dict = {}

    def get(self, key: object, default: object = None) -> object:
        self.touched.add(key)
        return super().get(key, default)

    def taken(self) -> list[tuple[int, object, object]]:
        """The place, key and state of each touched key, which then counts as touched no more."""
        for number, key in enumerate(islice(reversed(self), len(self) - len(self.places)), 1):
            self.places[key] = len(self) - number
        found = sorted(((self.places[k], k, self[k]) for k in self.touched if k in self),
                       key=lambda entry: entry[0])
        self.touched.clear()
        return found
