"""The tuples of all sources in the program's order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from operator import attrgetter

from anabranch.engine.heartbeats import Heartbeat, beating
from anabranch.ir.graph import Graph, Operator


def merged(graph: Graph, sources: dict[str, Iterable[object]]) -> Iterator[tuple[Operator, object]]:
    """All source tuples in program order.

    Sources with a time attribute are merged by it, ties by source order; the heartbeats of one
    that is silent let the others go on. They take the place of the first of them; a source without
    a time is read whole when its turn comes.
    """
    timed = [op for op in graph.sources if op.kind.time]
    for op in graph.sources:
        if not op.kind.time:
            yield from ((op, item) for item in sources[op.name])
        elif op is timed[0]:
            streams = [_timed(t, sources[t.name]) for t in timed]
            yield from ((t, item) for _, t, item in heapq.merge(*streams, key=lambda s: s[0])
                        if not isinstance(item, Heartbeat))


def _timed(op: Operator, items: Iterable[object]) -> Iterator[tuple[object, Operator, object]]:
    time = attrgetter(op.kind.time)
    timed = ((time(item), op, item) for item in items)
    return timed if op.kind.heartbeats is None else beating(op, timed)
