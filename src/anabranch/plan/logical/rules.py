"""The ordered rules by which a graph is rewritten before its regions are formed.

>>> [rule.__name__ for rule in rules_named("fuse,hoist")], rules_named("") == ()
(['fuse', 'hoist'], True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from anabranch.analysis.fact import Facts
from anabranch.core.errors import UsageError, did_you_mean
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


def rules_named(given: str | Iterable[str] | None) -> tuple[Rule, ...]:
    """The rules that a user names, in that order: all in their own order if nothing is said."""
    if given is None:
        return RULES
    names = given.split(",") if isinstance(given, str) else given
    return tuple(_rule(name.strip()) for name in names if name.strip())


def _rule(name: str) -> Rule:
    known = {rule.__name__: rule for rule in RULES}
    if name not in known:
        raise UsageError(f"no rule is called '{name}'", help=did_you_mean(name, known))
    return known[name]
