"""Owners: what each owner of a stage's buckets has to do, and who gets which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anabranch.batch.packs import Piece, Pieces, inverse
from anabranch.batch.slices import Flow, Rows, Slice
from anabranch.engine.multicore.partitioned import Parts
from anabranch.engine.multicore.remote.balance import Move
from anabranch.runtime.processes.messages import Given, packs_of


@dataclass(eq=False)
class Share:
    """What one owner has to do of a slice: the rows of its buckets, or to finish them."""

    parts: Parts
    rows: np.ndarray
    ports: list[int] | None
    pieces: list[Piece]
    finishing: list[int] | None = None

    def flow(self) -> Flow:
        if len(self.pieces) == 1:
            return Flow(self.rows, self.pieces[0].items, self.ports)
        order = np.argsort(self.rows, kind="stable")
        return Flow(self.rows[order], Pieces(self.pieces, inverse(order)), self.ports)

    @property
    def buckets(self) -> np.ndarray:
        """Of each row, as the pieces have them."""
        return np.concatenate([piece.buckets for piece in self.pieces])

    def given(self) -> Given:
        return Given(self.rows.tobytes(), self.ports, packs_of(self.pieces), len(self.pieces) > 1,
                     self.buckets.tobytes())


@dataclass(frozen=True)
class Lanes:
    """The owners of a stage's buckets: so many processes, the one place here, and the guests of
    each process.

    >>> lanes = Lanes(3)
    >>> lanes.home, lanes.guests(1), lanes.process(5), lanes.process(1)
    (3, 5, 1, 1)
    """

    processes: int

    @property
    def home(self) -> int:
        return self.processes

    def __len__(self) -> int:
        return 2 * self.processes + 1

    def guests(self, process: int) -> int:
        return self.home + 1 + process

    def process(self, owner: int) -> int:
        return owner if owner <= self.home else owner - self.home - 1


@dataclass(eq=False)
class Transfer:
    """The way of buckets from one owner to another. It is `ready` when the old one has given their
    states, or at once where both are one process."""

    old: int
    new: int
    buckets: list[int]
    states: dict[int, list] | None = None

    @property
    def ready(self) -> bool:
        return self.states is not None


def transfers(before: np.ndarray, after: np.ndarray) -> list[Transfer]:
    """What has to change hands, from the old owners of the buckets to the new.

    >>> [(t.old, t.new, t.buckets) for t in transfers(np.array([2, 2, 0]), np.array([0, 1, 0]))]
    [(2, 0, [0]), (2, 1, [1])]
    """
    found: dict[tuple[int, int], list[int]] = {}
    for bucket in np.flatnonzero(before != after).tolist():
        found.setdefault((int(before[bucket]), int(after[bucket])), []).append(bucket)
    return [Transfer(old, new, buckets) for (old, new), buckets in found.items()]


@dataclass(frozen=True)
class Probe:
    """The question to their owner whether buckets could move."""

    moves: list[Move]

    @property
    def buckets(self) -> list[int]:
        return [move.bucket for move in self.moves]


def probes(moves: Sequence[Move]) -> dict[int, Probe]:
    """One for each owner from whom buckets should move."""
    found: dict[int, list[Move]] = {}
    for move in moves:
        found.setdefault(move.old, []).append(move)
    return {owner: Probe(own) for owner, own in found.items()}


@dataclass(frozen=True)
class Leave:
    """The old owner gives the states of buckets, when it has done what was meant for them."""

    transfer: Transfer


@dataclass(frozen=True)
class Arrive:
    """The new owner goes on with them."""

    transfer: Transfer

    @property
    def ready(self) -> bool:
        return self.transfer.ready


def by_owner(slice_: Slice, rows: Rows, items: Pieces) -> dict[int, Share]:
    """The share of each owner, of items that were divided for them."""
    ends = np.cumsum([len(piece.items) for piece in items.pieces]).tolist()
    found: dict[int, list[int]] = {}
    for index, piece in enumerate(items.pieces):
        found.setdefault(piece.owner, []).append(index)
    parts = Parts(slice_, rows, len(found))
    places = [items.places[end - len(piece.items):end] for end, piece in zip(ends, items.pieces)]
    return {owner: _share(parts, rows.ports, [items.pieces[i] for i in own],
                          [places[i] for i in own]) for owner, own in found.items()}


def _share(parts: Parts, ports: Sequence[int] | None, pieces: list[Piece],
           places: list[np.ndarray]) -> Share:
    numbers = np.concatenate(places) if len(places) > 1 else places[0]
    own_ports = None if ports is None else [ports[row] for row in numbers.tolist()]
    return Share(parts, numbers, own_ports, pieces)
