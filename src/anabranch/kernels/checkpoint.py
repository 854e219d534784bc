"""Checkpoints in pages: the state of a stage saved piece by piece.

Each page has the keys touched since the last one. The first byte of a page says whether it is
whole, with every key, and so replaces all before it. The rows tier has keys and states as the bytes
of `value_codec`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from anabranch.batch.value_codec import decode, encode
from anabranch.ir.operators import Cell

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


Cells = dict[str, Cell]


def page_of(cells: Cells, seen: Mapping[str, list[int]], every: bool) -> bytes:
    """The touched keys of each map of states in `seen`, with their stamps; other variables whole.

    The first page has every key, and from then on the maps remember what is touched.
    """
    every = every or not seen or not all(isinstance(cells[n].value, Tracked) for n in seen)
    entries = {}
    for name, stamps in seen.items():
        if every:
            cells[name].value = Tracked(cells[name].value)
            cells[name].value.touched.update(cells[name].value)
        entries[name] = [[key, stamps[place], place, own]
                         for place, key, own in cells[name].value.taken()]
    rest = {name: cell.value for name, cell in cells.items() if name not in seen}
    return (WHOLE if every else DELTA) + encode([entries, rest])


def put_pages(cells: Cells, seen: Mapping[str, list[int]], pages: Iterable[bytes]) -> None:
    """Fills variables, and the stamps in `seen`, with what pages hold, the oldest page first.

    Pages without a whole one among them are put onto what is there.
    """
    kept = latest(list(pages))
    whole = any(page[:1] == WHOLE for page in kept)
    found: dict[str, dict] = {
        name: {} if whole else _entries(cells[name].value, stamps) for name, stamps in seen.items()}
    for page in kept:
        entries, rest = decode(page[1:])
        for name, listed in entries.items():
            found[name].update((key, entry) for key, *entry in listed)
        for name, value in rest.items():
            cells[name].value = value
    for name, entries in found.items():
        # The order of first appearance: by stamp, and for keys of one tuple by place.
        ordered = sorted(entries.items(), key=lambda pair: pair[1][:2])
        cells[name].value = Tracked({key: own for key, (_, _, own) in ordered})
        seen[name][:] = [stamp for _, (stamp, _, _) in ordered]


def _entries(states: dict, stamps: list[int]) -> dict:
    return {key: [stamp, place, own] for place, (stamp, (key, own)) in enumerate(
        zip(stamps, states.items()))}
