"""What a run and its worker processes tell each other about flows of items.

Items lie in blocks of the shared memory; row numbers and buckets are small and go with the message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from anabranch.batch.buckets import Route
from anabranch.batch.fields import in_fields
from anabranch.batch.items import Columns, as_batch
from anabranch.batch.memory import Block, Memory
from anabranch.batch.packs import (
    BUCKET,
    Packed,
    Piece,
    Pieces,
    in_pieces,
    opened,
    row_numbers,
    store,
    together,
)
from anabranch.batch.slices import Flow, Outcome
from anabranch.batch.transport import loaded, packed, unpacked
from anabranch.ir.types import Type
from anabranch.runtime.ends.columns import Inherited

BLOCK, PLACE = "block", "place"
"""Items in the shared memory, and in a list that the process has from the beginning."""

Lists = Mapping[str, list]
"""Such lists, by the source that gives them."""


class Given(NamedTuple):
    """A flow on its way to a process. `packs` are its pieces: where they lie, or the items
    themselves. Where the pieces interleave, `shuffled` says so: the rows tell the order."""

    rows: range | bytes
    ports: list[int] | None
    packs: list[tuple]
    shuffled: bool
    buckets: bytes | None = None


def given(flow: Flow) -> Given:
    """All rows of a slice for a process; what is unseen stays where it is."""
    pieces = in_pieces(flow.items)
    if len(pieces.pieces) == 1:
        return Given(flow.rows, flow.ports, packs_of(pieces.pieces), False)
    return Given(pieces.places.tobytes(), flow.ports, packs_of(pieces.pieces), True)


def packs_of(pieces: Sequence[Piece]) -> list[tuple]:
    return [_pack(piece.items) for piece in pieces]


def _pack(items: Sequence) -> tuple:
    if isinstance(items, Packed):
        # Pickle takes ten times as long for a named tuple.
        return BLOCK, tuple(items.block)
    return (PLACE, items.place) if isinstance(items, Inherited) else packed(items)


def _unpacked(memory: Memory, lists: Lists, pack: tuple) -> Sequence:
    kind, content = pack
    if kind == PLACE:
        source, start, stop = content
        return lists[source][start:stop]
    return unpacked(loaded(memory.view(Block(*content))) if kind == BLOCK else pack)


def taken(memory: Memory, lists: Lists, flow: Given) -> tuple[Flow, np.ndarray | None]:
    """The flow in the process, in the order of its rows, and the bucket of each."""
    parts = [_unpacked(memory, lists, pack) for pack in flow.packs]
    rows, items, buckets = _received(flow.rows), parts[0], _buckets(flow.buckets)
    if flow.shuffled:
        order = np.argsort(rows, kind="stable")
        rows, items = rows[order], together(parts, order)
        buckets = None if buckets is None else buckets[order]
    return Flow(rows, items, flow.ports), buckets


def listed(flow: Flow) -> Flow:
    """The flow in lists: Python goes faster through these than through arrays."""
    rows = flow.rows.tolist() if isinstance(flow.rows, np.ndarray) else flow.rows
    return Flow(rows, opened(flow.items), flow.ports)


class Made(NamedTuple):
    """A flow on its way back: its pieces, each (owner, length, block, buckets). Items `in_columns`
    are looked at by nobody, so they need not stay unseen."""

    rows: range | bytes | list
    pieces: list[tuple[int | None, int, tuple, bytes | None]]
    places: bytes | None = None
    stage: int | None = None
    in_columns: bool = False


class Answer(NamedTuple):
    """An outcome on its way back; `busy` has the seconds that each bucket took."""

    outputs: list[Made]
    failures: list
    seconds: float
    steps: tuple
    busy: dict[int, float]


Way = tuple[Route, np.ndarray] | None
"""How the next stage divides a flow: its route, and the owner of each bucket."""


def made(memory: Memory, flow: Flow, way: Way, columns: Type | None) -> Made:
    """The flow that a process has made, divided as its next stage wants it, or in the columns that
    whoever reads it takes."""
    if not len(flow.items):
        return Made(_sent(flow.rows), [])
    if way is None:
        items = _in_columns(flow.items, columns)
        piece = None, len(items), tuple(store(memory, items)), None
        return Made(_sent(flow.rows), [piece], in_columns=isinstance(items, Columns))
    route, owners = way
    divided = route.divided(flow.items, owners)
    pieces = [(p.owner, len(p.items), tuple(store(memory, p.items)), p.buckets.tobytes())
              for p in divided.pieces]
    return Made(_sent(flow.rows), pieces, divided.places.tobytes(), route.stage)


def _in_columns(items: Sequence, columns: Type | None) -> Sequence:
    batch = None if columns is None else as_batch(items, columns)
    return in_fields(items) if batch is None else Columns(batch, columns)


def outcome(memory: Memory, answer: Answer) -> Outcome:
    """The outcome that an answer tells of; its items stay unseen."""
    return Outcome([_flow(memory, m) for m in answer.outputs], answer.failures, answer.seconds,
                   answer.steps)


def _flow(memory: Memory, flow: Made) -> Flow:
    rows = _received(flow.rows)
    if not flow.pieces:
        return Flow(rows, [])
    pieces = [Piece(Packed(memory, Block(*block), length), owner, _buckets(buckets))
              for owner, length, block, buckets in flow.pieces]
    if flow.in_columns:
        return Flow(rows, pieces[0].items.loaded())
    if flow.places is None:
        return Flow(rows, pieces[0].items)
    return Flow(rows, Pieces(pieces, _numbers(flow.places), flow.stage))


def _sent(rows: Sequence) -> range | bytes | list:
    if isinstance(rows, range):
        return rows
    numbers = row_numbers(rows)
    return list(rows) if numbers is None else numbers.tobytes()


def _received(rows: range | bytes | list) -> Sequence:
    return _numbers(rows) if isinstance(rows, bytes) else rows


def _numbers(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.int64)


def _buckets(data: bytes | None) -> np.ndarray | None:
    return None if data is None else np.frombuffer(data, BUCKET)
