"""Items left in shared memory: passed on unseen, a list when somebody looks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from anabranch.batch.fields import Fields, Unseen, joined_fields
from anabranch.batch.items import Columns, joined
from anabranch.batch.memory import Block, Memory
from anabranch.batch.transport import dumped, loaded, packed, unpacked


class Packed(Unseen):
    """Items in one block of memory, which is released together with this."""

    def __init__(self, memory: Memory, block: Block, length: int):
        self.memory, self.block, self.length = memory, block, length

    def loaded(self) -> Sequence:
        """The items as they were stored: a list, fields or columns."""
        return unpacked(loaded(self.memory.view(self.block)))

    def _made(self) -> list:
        return opened(self.loaded())

    def __del__(self):
        self.memory.release(self.block)


BUCKET, MOST_BUCKETS = np.uint16, 1 << 16
"""The numbers of buckets: few are needed, and short numbers are sorted several times as fast."""


class Piece(NamedTuple):
    """Some of the items of a flow: which process should have them next, and there which bucket
    each (None where nobody has chosen yet)."""

    items: Sequence
    owner: int | None = None
    buckets: np.ndarray | None = None


class Pieces(Unseen):
    """The items of a flow in pieces. `places` has, for all pieces one after the other, the place
    of each item in the flow; `stage` is the one whose processes the pieces were made for.

    >>> list(Pieces([Piece(["b", "d"]), Piece(["a", "c"])], np.array([1, 3, 0, 2])))
    ['a', 'b', 'c', 'd']
    """

    def __init__(self, pieces: Sequence[Piece], places: np.ndarray, stage: int | None = None):
        self.pieces, self.places, self.stage = pieces, places, stage
        self.length = len(places)

    def _made(self) -> list:
        parts = [part.loaded() if isinstance(part := piece.items, Packed) else part
                 for piece in self.pieces]
        return opened(together(parts, inverse(self.places)))

    def moved(self, places: np.ndarray) -> Pieces:
        """The same pieces in a larger flow, where the flow's items stand at these places."""
        return Pieces(self.pieces, places[self.places], self.stage)


def inverse(places: np.ndarray) -> np.ndarray:
    """Which item comes to each place, from the place of each item.

    >>> inverse(np.array([1, 3, 0, 2])).tolist()
    [2, 0, 3, 1]
    """
    items = np.empty_like(places)
    items[places] = np.arange(len(places))
    return items


def opened(items: Sequence) -> list:
    """The items as a list."""
    if isinstance(items, Columns):
        return items.rows
    return items.items if isinstance(items, Unseen) else items


def together(parts: Sequence[Sequence], order: np.ndarray) -> Sequence:
    """The items of all parts, one part behind the other, in this order."""
    kinds = {(type(part), getattr(part, "cls", None)) for part in parts}
    if len(kinds) == 1 and isinstance(parts[0], Fields):
        return joined_fields(parts).taken(order)
    if all(isinstance(part, Columns) for part in parts):
        return joined(parts).taken(order)
    items = list(chain.from_iterable(parts))
    return [items[i] for i in order.tolist()]


def store(memory: Memory, items: Sequence) -> Block:
    return memory.stored(*dumped(packed(items)))


def in_pieces(items: Sequence) -> Pieces:
    if isinstance(items, Pieces):
        return items
    return Pieces([Piece(items)], np.arange(len(items)))


Rows = Sequence


def merged(flows: Sequence[tuple[Rows, Sequence]]) -> tuple[Rows, Sequence]:
    """Flows of different rows as one, in the order of the rows; what is unseen stays so.

    >>> rows, items = merged([([0, 2], ["a", "c"]), ([1], ["b"])])
    >>> rows.tolist(), items
    ([0, 1, 2], ['a', 'b', 'c'])
    """
    flows = [flow for flow in flows if len(flow[1])]
    if len(flows) < 2:
        return flows[0] if flows else ([], [])
    rows = [row_numbers(rows) for rows, _ in flows]
    if any(numbers is None for numbers in rows):
        return _sorted(flows)
    numbers = np.concatenate(rows)
    order = order_of(numbers)
    return numbers[order], _arranged([items for _, items in flows], order)


def order_of(numbers: np.ndarray) -> np.ndarray:
    """Which number comes to each place, in their order; of equal ones the first comes first.

    >>> order_of(np.array([3, 9, 4])).tolist(), order_of(np.array([3, 9, 3])).tolist()
    ([0, 2, 1], [0, 2, 1])
    """
    first, last = int(numbers.min()), int(numbers.max())
    if last - first < 4 * len(numbers):
        # Where all differ, each is put in its place, and places without any are left out.
        items = np.full(last - first + 1, -1, np.int64)
        items[numbers - first] = np.arange(len(numbers))
        order = items[items >= 0]
        if len(order) == len(numbers):
            return order
    return np.argsort(numbers, kind="stable")


def row_numbers(rows: Rows) -> np.ndarray | None:
    """Rows as machine integers; None for those that are something else.

    >>> row_numbers(range(3)), row_numbers([(0, 1)])
    (array([0, 1, 2]), None)
    """
    if isinstance(rows, range):
        return np.arange(rows.start, rows.stop, rows.step)
    if len(rows) and isinstance(rows[0], tuple):
        return None
    return np.asarray(rows, np.int64)


def _arranged(parts: list[Sequence], order: np.ndarray) -> Sequence:
    if not any(isinstance(part, (Packed, Pieces)) for part in parts):
        return together(parts, order)
    places = inverse(order)
    pieces, begin = [], 0
    for part in map(in_pieces, parts):
        pieces.append(part.moved(places[begin:begin + len(part)]))
        begin += len(part)
    stages = {part.stage for part in pieces}
    return Pieces([piece for part in pieces for piece in part.pieces],
                  np.concatenate([part.places for part in pieces]),
                  stages.pop() if len(stages) == 1 else None)


def _sorted(flows: Sequence[tuple[Rows, Sequence]]) -> tuple[Rows, Sequence]:
    # The sort is stable and finds the flows' runs, so it merges them.
    pairs = sorted(chain.from_iterable(zip(rows, items) for rows, items in flows),
                   key=itemgetter(0))
    rows, items = zip(*pairs)
    return rows, list(items)
