"""What a plan is made from: the tags of the first events, and what their updates cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.multicore.synchronization.plans import LEARNT
from anabranch.engine.multicore.synchronization.tagging import counted
from anabranch.engine.spark.computing import computed
from anabranch.engine.spark.lines import line_of
from anabranch.engine.spark.pieces import Piece, entering
from anabranch.engine.spark.travel import dumped, dumped_program, loaded
from anabranch.sync.routing import Tagged

if TYPE_CHECKING:
    from pyspark import RDD

    from anabranch.engine.spark.tasks import Program

SLICES = 8
"""So many slices of a partition are looked at, at most."""


class Sample(NamedTuple):
    """How often each tag came in so many rows of so many slices, or each key and tag; and the
    seconds of one update."""

    seen: Counter
    rows: int = 0
    slices: int = 0
    update: float = 0.0


def sampled(program: Program, index: int, stage: Stage,
            tagged: Callable[[Sequence[object]], Tagged], rdd: RDD) -> Sample:
    """The first events that leave segment `index`, whose input is in the RDD."""
    data = dumped_program((program, index, stage, tagged), list(program.graph))
    return loaded(computed(rdd, partial(_look, data), [0])[0])


def _look(data: bytes, elements: Iterable) -> Iterator[bytes]:
    from anabranch.engine.spark.tasks import pieces_of

    program, index, stage, tagged = loaded(data)
    pieces = pieces_of(program, program.segments[index], elements)
    yield dumped(_looked_at(program, stage, tagged, pieces))


def _looked_at(program: Program, stage: Stage, tagged: Callable, pieces: Iterable[Piece]
               ) -> Sample:
    line = line_of(program.graph, stage, program.kernels)
    seen, rows, slices, costs = Counter(), 0, 0, []
    for piece in islice(pieces, SLICES):
        flow = entering(piece, stage.inputs)
        slices, rows = slices + 1, rows + len(flow.items)
        # The first rows may have waited for a compiler.
        for items in filter(len, (flow.items[:LEARNT // 2], flow.items[LEARNT // 2:LEARNT])):
            seen.update(counted(stage.operators[0].kind, tagged, items))
            outcome = line.run(0, Flow(range(len(items)), items))
            costs.append(outcome.seconds / len(items))
        if seen.total() >= LEARNT:
            break
    return Sample(seen, rows, slices, min(costs, default=0.0))
