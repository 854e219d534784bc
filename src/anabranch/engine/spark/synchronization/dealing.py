"""Events on their way to the gang: every slice is taken apart by the workers of the plan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.routing import spread
from anabranch.engine.multicore.synchronization.tagging import at_places
from anabranch.engine.spark.buckets import FINISH, PASS, RUN, Element, passing
from anabranch.engine.spark.pieces import Number, Piece, decoded, encoded, entering
from anabranch.engine.spark.segments import Segment
from anabranch.engine.spark.stamps import are_apart, taken, told_apart
from anabranch.engine.spark.synchronization.gang import Gang
from anabranch.engine.spark.synchronization.stamps import Numbering
from anabranch.sync.messages import NEVER, Events
from anabranch.sync.plan import Shard
from anabranch.sync.routing import ROOT, Router


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

    def elements(self, piece: Piece) -> Iterator[Element]:
        rest = passing(self.segment, piece)
        if any(rest[1:]):
            yield (spread(hash(piece.number), self.gang.tasks), piece.number), (
                PASS, None, encoded(rest))
        if piece.final in self.stage:
            news = Piece(piece.number, {}, piece.final)
            yield (self.hosts[ROOT], piece.number), (FINISH, None, encoded(news))
        flow = entering(piece, self.stage.inputs)
        for task, (runs, flows) in self._by_task(flow).items() if len(flow.items) else ():
            yield (task, piece.number), (RUN, runs, encoded(Piece(piece.number, flows)))

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


class Share(NamedTuple):
    """What a task is given of one slice; before the stamp `until` nothing else comes."""

    number: Number
    runs: list[tuple[Own, Flow]]
    passing: list[Piece]
    final: Piece | None
    until: int


def shares(groups: Iterable[tuple], numbering: Numbering) -> Iterator[Share]:
    """The slices of a task in order; also a task without any learns that none comes."""
    last = Share((numbering.base, 0), [], [], None, NEVER)
    for share in map(_share, groups):
        yield last._replace(until=numbering.first(share.number))
        last = share
    yield last


def _share(group: tuple) -> Share:
    (_, number), elements = group
    share = Share(number, [], [], None, NEVER)
    for _, (errand, runs, data) in elements:
        piece = decoded(data)
        if errand == PASS:
            share.passing.append(piece)
        elif errand == FINISH:
            share = share._replace(final=piece)
        else:
            share.runs.extend((own, piece.flows[str(n)]) for n, own in enumerate(runs))
    return share
