"""The exchange before a gang: which task has which worker, and its events.

The stamp of an event is one number for the place of a slice and the place of a row in it.

>>> numbering = Numbering(base=100)
>>> stamp = numbering.first((103, 7)) + 12
>>> numbering.number_of(stamp), row_of(stamp), numbering.number_of(stamp)[0] == LAST
((103, 7), 12, False)
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from anabranch.batch.buckets import spread
from anabranch.batch.slices import Flow
from anabranch.core.errors import RunError
from anabranch.engine.spark.job.buckets import FINISH, PASS, RUN, Element, passing
from anabranch.engine.spark.job.pieces import LAST, Number, SlicePiece, decoded, encoded, entering
from anabranch.engine.spark.job.stamps import are_apart, taken, told_apart
from anabranch.plan.physical.spark.segments import Segment
from anabranch.plan.sync.plan import Shard, Tree
from anabranch.runtime.gang.messages import END, NEVER, Events
from anabranch.runtime.gang.routing import ROOT, Router, Tagged
from anabranch.runtime.gang.tagging import at_places


@dataclass(frozen=True)
class Gang:
    """`tagged` finds the tags of items; `split` says how keys are split, if there are any. Who
    knows the token is one of us."""

    tree: Tree
    tasks: int
    tagged: Callable[[Sequence[object]], Tagged]
    token: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    split: tuple | None = None

    @property
    def hosts(self) -> tuple[int, ...]:
        return hosts(self.tree, self.tasks)


def leaves(tree: Tree) -> int:
    return sum(1 for node in tree.nodes() if not node.children)


def hosts(tree: Tree, tasks: int) -> tuple[int, ...]:
    """The task of each worker: leaves are dealt out, and a worker with others below it, which has
    little to do, is where the first of its leaves is.

    >>> from anabranch.plan.sync.plan import Shard, Tree, leaf
    >>> hosts(Tree(frozenset(), (leaf(Shard("a")), leaf(Shard("b")))), 2)
    (0, 0, 1)
    """
    count, found, before = leaves(tree), [], 0
    for node in tree.nodes():
        found.append(before * tasks // count)
        before += not node.children
    return tuple(found)


class Own(NamedTuple):
    """Events in one slice that come on one lane: who takes them, and their places in it."""

    worker: int
    lane: Shard
    places: np.ndarray


class Dealer:
    """Deals whole slices out to the tasks of a gang, for the first stage of a segment."""

    def __init__(self, segment: Segment, gang: Gang):
        self.segment, self.stage, self.gang = segment, segment.stages[0], gang
        self.router, self.hosts = Router(gang.tree, gang.tagged, at_places), gang.hosts

    def elements(self, piece: SlicePiece) -> Iterator[Element]:
        rest = passing(self.segment, piece)
        if any(rest[1:]):
            yield (spread(hash(piece.number), self.gang.tasks), piece.number), (
                PASS, None, encoded(rest))
        if piece.final in self.stage:
            news = SlicePiece(piece.number, {}, piece.final)
            yield (self.hosts[ROOT], piece.number), (FINISH, None, encoded(news))
        flow = entering(piece, self.stage.inputs)
        for task, (runs, flows) in self._by_task(flow).items() if len(flow.items) else ():
            yield (task, piece.number), (RUN, runs, encoded(SlicePiece(piece.number, flows)))

    def _by_task(self, flow: Flow) -> dict[int, tuple[list[Own], dict[str, Flow]]]:
        """For each task its runs, and the events of each under the number of the run."""
        stamps = flow.rows if are_apart(flow.rows) else told_apart(flow.rows)
        found: dict[int, tuple[list[Own], dict[str, Flow]]] = defaultdict(lambda: ([], {}))
        for worker, message in self.router.routed(0, flow.items):
            if isinstance(message, Events) and len(message.run):
                runs, flows = found[self.hosts[worker]]
                places = np.asarray(message.run.stamps, np.int64)
                flows[str(len(runs))] = Flow(taken(stamps, places), message.run.items)
                runs.append(Own(worker, message.shard, places))
        return found


class TaskShare(NamedTuple):
    """What a task is given of one slice; before the stamp `until` nothing else comes."""

    number: Number
    runs: list[tuple[Own, Flow]]
    passing: list[SlicePiece]
    final: SlicePiece | None
    until: int


def shares(groups: Iterable[tuple], numbering: Numbering) -> Iterator[TaskShare]:
    """The slices of a task in order; also a task without any learns that none comes."""
    last = TaskShare((numbering.base, 0), [], [], None, NEVER)
    for share in map(_share, groups):
        yield last._replace(until=numbering.first(share.number))
        last = share
    yield last


def _share(group: tuple) -> TaskShare:
    (_, number), elements = group
    share = TaskShare(number, [], [], None, NEVER)
    for _, (errand, runs, data) in elements:
        piece = decoded(data)
        if errand == PASS:
            share.passing.append(piece)
        elif errand == FINISH:
            share = share._replace(final=piece)
        else:
            share.runs.extend((own, piece.flows[str(n)]) for n, own in enumerate(runs))
    return share


PART_BITS, SLICE_BITS, ROW_BITS = 17, 20, 25
"""Together they stay below the stamp that stands behind all events."""


@dataclass(frozen=True)
class Numbering:
    """The parts of the input are numbered from `base` on."""

    base: int

    def first(self, number: Number, rows: int = 0) -> int:
        """The stamp of the first row of a slice, which has so many."""
        part, count = number
        part = _packed(part if part == LAST else part - self.base, PART_BITS)
        if rows >> ROW_BITS:
            raise _too_many(rows)
        return ((part << SLICE_BITS) + _packed(count, SLICE_BITS)) << ROW_BITS

    def number_of(self, stamp: int) -> Number:
        """The slice of a stamp; one behind all events is in none of theirs."""
        part, count = divmod(min(stamp, END - 1) >> ROW_BITS, 1 << SLICE_BITS)
        return _unpacked(part, PART_BITS, self.base), _unpacked(count, SLICE_BITS)


def row_of(stamp: int) -> int:
    return stamp & ((1 << ROW_BITS) - 1)


def _packed(half: int, bits: int) -> int:
    """The half of a number of a slice in so many bits; all of them stand for the last."""
    last = (1 << bits) - 1
    if half != LAST and half >= last:
        raise _too_many(half)
    return min(half, last)


def _unpacked(half: int, bits: int, base: int = 0) -> int:
    return LAST if half == (1 << bits) - 1 else base + half


def _too_many(count: int) -> RunError:
    return RunError("the input is too large for a gang of tasks", got=f"number {count}")
