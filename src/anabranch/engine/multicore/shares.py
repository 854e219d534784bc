"""Shares: what each owner of a stage's buckets has to do, and how buckets change hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anabranch.engine.multicore.balance import Move
from anabranch.engine.multicore.line import Flow
from anabranch.engine.multicore.messages import Given, packs_of
from anabranch.engine.multicore.packs import Piece, Pieces
from anabranch.engine.multicore.partitioned import Parts
from anabranch.engine.multicore.slices import Rows, Slice


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
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return Flow(self.rows[order], Pieces(self.pieces, places), self.ports)

    @property
    def buckets(self) -> np.ndarray:
        """Of each row, as the pieces have them."""
        return np.concatenate([piece.buckets for piece in self.pieces])

    def given(self) -> Given:
        return Given(self.rows.tobytes(), self.ports, packs_of(self.pieces), len(self.pieces) > 1,
                     self.buckets.tobytes())


@dataclass(eq=False)
class Transfer:
    """A bucket's way to another process. It is `ready` when the old owner has given its state."""

    move: Move
    state: list | None = None

    @property
    def ready(self) -> bool:
        return self.state is not None


@dataclass(frozen=True)
class Probe:
    """The question whether a bucket could move."""

    move: Move


@dataclass(frozen=True)
class Leave:
    """The old owner gives the state of a bucket, when it has done what was meant for it."""

    transfer: Transfer


@dataclass(frozen=True)
class Arrive:
    """The new owner goes on with it."""

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
