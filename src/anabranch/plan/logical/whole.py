"""Programs of which a language knows more than the graph tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from anabranch.ir.graph import Graph

Table = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]
"""A title, the names of the columns, and the rows."""


@dataclass(frozen=True)
class OperatorMeasure:
    """An operator, how workers share it, the tier in which it ran, and what it did."""

    name: str
    sharing: str
    tier: str
    rows_in: int
    rows_out: int
    seconds: float


class WholeProgram:
    """What knows a program as a whole, at a source of its graph or the spec of one.

    It may run all of it, and it may cut it into pieces, which need nothing of each other; each goes
    to another machine, where `compute` makes its result of it. Where it cannot do something, the
    engines run the graph.
    """

    is_in_step: bool = False
    """Whether it gives the graph's sequence at all."""
    at_once: bool = False
    """Whether the results of all pieces are small."""
    unread: Sequence[str] = ()
    """The inputs that it declares and does not read."""
    compute: Callable[[object], object]

    def runs_on(self, graph: Graph, options: object) -> bool:
        """Whether it takes a run with these `RunOptions`."""
        return False

    def is_long(self, graph: Graph) -> bool:
        """Whether even a single worker should run the program so."""
        return False

    def run(self, graph: Graph, emit: object, options: object, report: object
            ) -> Iterable[OperatorMeasure] | None:
        """All of it; what its operators did, as far as it is known."""
        raise NotImplementedError

    def stages(self, graph: Graph) -> tuple:
        """How each part runs then: a `StageTier` each."""
        raise NotImplementedError

    def tables(self) -> Iterable[Table]:
        """What else there is to say, for `explain`."""
        return ()

    def is_spread(self) -> bool:
        """Whether it has pieces at all."""
        return False

    def pieces(self, graph: Graph, options: object, count: int) -> list:
        """About so many pieces of this run."""
        return []

    def files(self, graph: Graph) -> list[str]:
        """What the pieces are read from."""
        return []

    def take(self, graph: Graph, emit: object, results: Iterable[object]) -> dict[str, int]:
        """Gives the results to the sinks, in the order of the pieces; how many items the sources
        had."""
        raise NotImplementedError


def whole_of(graph: Graph) -> WholeProgram | None:
    """What knows the program as a whole, if there is such a thing."""
    found = (op.kind.whole or (op.kind.spec and op.kind.spec.whole) for op in graph.sources)
    return next((whole for whole in found if whole is not None), None)


class Unfinished(Exception):
    """What `run` cannot go on with: the engine then begins anew with the graph, and leaves out what
    has been written, which is the beginning of the same output."""
