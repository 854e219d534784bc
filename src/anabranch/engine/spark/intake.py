"""The sources as slices: read by the driver in program order, and handed to Spark as bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from anabranch.engine.merging import merged
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.slices import Failure
from anabranch.engine.multicore.stages import finishes
from anabranch.engine.spark.capabilities import LIMITS
from anabranch.engine.spark.pieces import LAST, Piece, encoded
from anabranch.ir.graph import Graph, Operator

SMALLEST, LARGEST = 16, 8192
SLICES_WANTED = 32
"""Few rows that take long must still be shared; many that do not should travel together."""


def slices(graph: Graph, items: dict[str, Iterable[object]], limit: int | None,
           size: int | None = None) -> Iterator[bytes]:
    """All source tuples as encoded slices, in program order."""
    return map(encoded, cut(merged(graph, items, limit), 0, size))


def refuse_endless(graph: Graph, limit: int | None) -> None:
    """Refuses to wait for ever for the last item of a source."""
    for op in graph.sources:
        if limit is None and getattr(op.kind.spec, "endless", False):
            raise LIMITS["endless"].refusal(op.kind.spec.shown, op.span)


def cut(coming: Iterator[tuple[Operator, object]], part: int, size: int | None = None,
        first: int = 0) -> Iterator[Piece]:
    """Source tuples as slices, from number `first` on. One that cannot be read is the failure of
    its slice."""
    count, rows = first, 0
    while True:
        taken, error = _taken(coming, size or min(max(SMALLEST, rows // SLICES_WANTED), LARGEST))
        if taken or error:
            yield Piece((part, count), _flows(taken), failures=_failures(taken, error))
        if error or not taken:
            return
        count, rows = count + 1, rows + len(taken)


def ends(graph: Graph) -> Iterator[bytes]:
    """A slice for every operator that is told of the end of the input, in the graph's order."""
    told = [op for op in graph if not (op.is_source or op.is_sink) and finishes(op)]
    return (encoded(Piece((LAST, n), {}, op.name)) for n, op in enumerate(told))


Taken = list[tuple[Operator, object]]


def _taken(coming: Iterator, size: int) -> tuple[Taken, Exception | None]:
    taken: Taken = []
    try:
        taken.extend(islice(coming, size))
    except Exception as error:
        return taken, error
    return taken, None


def _flows(taken: Taken) -> dict[str, Flow]:
    flows: dict[str, Flow] = {}
    for origin, (source, item) in enumerate(taken):
        flow = flows.setdefault(source.outputs[0], Flow([], []))
        flow.rows.append(origin)
        flow.items.append(item)
    return flows


def _failures(taken: Taken, error: Exception | None) -> tuple[Failure, ...]:
    """The failing tuple would have been the next one, before any operator."""
    return (Failure((len(taken), -1, 0), error),) if error else ()
