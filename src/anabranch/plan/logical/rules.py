"""The ordered rules by which a graph is rewritten before its regions are formed."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.analysis.fact import Facts
from anabranch.ir.graph import Graph
from anabranch.plan.logical.fuse import fuse
from anabranch.plan.logical.hoist import hoist

Rule = Callable[[Graph, Facts], Graph]

RULES: tuple[Rule, ...] = (hoist, fuse)


def rewrite(graph: Graph, analyse: Callable[[Graph], Facts],
            rules: tuple[Rule, ...] = RULES) -> Graph:
    """The graph after every rule in turn; each is given the facts of the graph as it then is."""
    for rule in rules:
        graph = rule(graph, analyse(graph))
    return graph
