"""Programs of which a language knows more than the graph tells.

A source, or its spec, may have `whole`, with

    is_in_step                                   whether it gives the graph's sequence at all
    runs_on(graph, options) -> bool              whether it takes this run
    is_long(graph) -> bool                       whether even a single worker should run it so
    run(graph, emit, options, report)            all of it; the output is that of the graph
        -> list[Measured]                        what its operators did, as far as it is known
    stages(graph) -> tuple[StageTier, ...]       how each part runs then
    tables() -> (title, columns, rows)...        what else there is to say, for `explain`
    is_spread() -> bool                          whether it has pieces at all
    pieces(graph, options, count) -> list        pieces of the run that need nothing of each other,
                                                 if it has such; each goes to another machine
    compute(piece) -> result                     what is done there
    at_once                                      whether the results of all pieces are small
    take(graph, emit, results) -> dict[str, int] gives them to the sinks, in the order of the
                                                 pieces; how many items the sources had
    files(graph) -> list[str]                    what the pieces are read from
    unread                                       the inputs that it declares and does not read
"""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.ir.graph import Graph


@dataclass(frozen=True)
class OperatorMeasure:
    """An operator, how workers share it, the tier in which it ran, and what it did."""

    name: str
    sharing: str
    tier: str
    rows_in: int
    rows_out: int
    seconds: float


def whole_of(graph: Graph) -> object | None:
    """What knows the program as a whole, if there is such a thing."""
    found = (op.kind.whole or getattr(op.kind.spec, "whole", None) for op in graph.sources)
    return next((whole for whole in found if whole is not None), None)


class Unfinished(Exception):
    """What `run` cannot go on with: the engine then begins anew with the graph, and leaves out what
    has been written, which is the beginning of the same output."""
