"""Programs of which a language knows more than the graph tells.

The spec of a source may have `whole`, with

    runs_on(graph, options) -> bool              whether it takes this run
    run(graph, emit, options, report) -> None    all of it; the output is that of the graph
    stages(graph) -> tuple[StageTier, ...]       how each part runs then
    tables() -> (title, columns, rows)...        what else there is to say, for `explain`
"""

from __future__ import annotations

from anabranch.ir.graph import Graph


def whole_of(graph: Graph) -> object | None:
    """What knows the program as a whole, if there is such a thing."""
    return next((op.kind.spec.whole for op in graph.sources
                 if getattr(op.kind.spec, "whole", None) is not None), None)
