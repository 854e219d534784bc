"""Pages of the rows tier's state: keys and states as the bytes of `codec`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from anabranch.ir.operators import Cell
from anabranch.kernels.codec import decode, encode
from anabranch.kernels.pages import DELTA, WHOLE, Tracked, latest

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
