"""The logical plan: which operators run in parallel, how tuples are routed, ordered.

A plan is data. It names no degree of parallelism: the physical plan does.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from enum import Enum, IntEnum

from anabranch.analysis.fact import Facts, Interval, OperatorFacts, StateKind
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.ir.graph import Graph


class Ordering(IntEnum):
    """How the order is kept across a region, cheapest first; each can do what those before can.

    ROUND_ROBIN: the merger takes from the channels in the order the splitter gave to them.
    SEQNO: tuples carry numbers without gaps; the merger waits for the next one.
    SEQNO_PULSES: numbers may have gaps or repeat; pulses on all channels tell how far each is.

    What a partitioned operator emits at the end of the input comes after all else, the operators
    in the order of the graph, and of one operator the keys in the order of their first appearance.
    """

    NONE = 0
    ROUND_ROBIN = 1
    SEQNO = 2
    SEQNO_PULSES = 3

    def __str__(self) -> str:
        return ("none", "round-robin", "sequence numbers", "sequence numbers and pulses")[self]


class JointKind(Enum):
    PARALLEL_SOURCE = "parallel source"
    SPLIT = "split"
    SHUFFLE = "shuffle"
    MERGE = "merge"
    PARALLEL_SINK = "parallel sink"


@dataclass(frozen=True)
class Routing:
    """To which channel a tuple goes: in turn, or by the hash of some of its attributes."""

    key: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"hash({', '.join(self.key)})" if self.key else "round-robin"


@dataclass(frozen=True)
class Joint:
    """A place where channels begin, end or cross: on a queue, or at a parallel source or sink.

    `left` and `right` are the indices of the regions it ends and begins; `routing` is there when
    it begins one, for the items that enter at input `port` of its first operator.
    """

    kind: JointKind
    at: str
    left: int | None
    right: int | None
    routing: Routing | None
    ordering: Ordering
    port: int = 0

    def __str__(self) -> str:
        routing = f", {self.routing}" if self.routing else ""
        return f"{self.kind.value}{routing}, order: {self.ordering}"


@dataclass(frozen=True)
class Region:
    """Operators that are replicated together. `key` is in terms of the items that enter (of the
    first input, if there are several); `ended` says why the region is not longer."""

    index: int
    operators: tuple[str, ...]
    key: tuple[str, ...]
    selectivity: Interval
    ordering: Ordering
    ended: str = ""


@dataclass(frozen=True)
class Reason:
    """Why an operator stays sequential, in one line, at the user's line."""

    text: str
    span: Span | None = None


@dataclass(frozen=True)
class Plan:
    """The graph, what is known of it, its regions and joints, and why the rest is sequential.

    `program` is the graph as the user wrote it, before any rewrite: the sequential engine runs it.
    `fusions` has the parts of each fused operator, where a plan names these instead.
    """

    graph: Graph
    facts: Facts
    regions: tuple[Region, ...]
    joints: tuple[Joint, ...]
    sequential: dict[str, Reason]
    groups: dict[str, str]
    program: Graph | None = None
    fusions: tuple[tuple[str, ...], ...] = ()

    @once
    def synchronized(self) -> tuple[str, ...]:
        """The operators whose state is forked: workers of a synchronization plan share them."""
        return tuple(name for name in self.sequential if name not in self.graph.looping
                     and self.facts[name].state.value.kind is StateKind.FORKABLE)

    @once
    def fissed(self) -> frozenset[str]:
        """The operators that several workers share by blocks of firings, as the language's
        schedule cuts them."""
        return frozenset(name for name in self.sequential if name not in self.graph.looping
                         and self.facts[name].state.value.kind is StateKind.IN_BLOCKS)

    def region_of(self, operator: str) -> Region | None:
        return self._regions.get(operator)

    @once
    def _regions(self) -> dict[str, Region]:
        return {name: region for region in self.regions for name in region.operators}

    def known_of(self, operator: str) -> OperatorFacts | None:
        """The facts of an operator; of what was fused, only the whole is known."""
        whole = next(("+".join(parts) for parts in self.fusions if operator in parts), operator)
        return self.facts.get(whole)

    def fused_in(self, operators: Container[str]) -> str:
        """What the user has fused of a stage's operators: it is never in two stages."""
        fused = [" + ".join(parts) for parts in self.fusions if parts[0] in operators]
        return f"fused: {', '.join(fused)}" if fused else ""

    def joints_of(self, region: Region) -> list[Joint]:
        return [j for j in self.joints if region.index in (j.left, j.right)]

    def with_graphs(self, change: Callable[[Graph], Graph]) -> Plan:
        """The same plan of graphs that are changed so."""
        return replace(self, graph=change(self.graph), program=change(self.program))


class LatePlan:
    """A plan that is made when somebody asks for more of it than its `program`: the sequential
    engine seldom does, and proofs take longer than a short run."""

    def __init__(self, program: Graph, make: Callable[[], Plan]):
        self.program, self._make = program, make

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._made, name)

    @once
    def _made(self) -> Plan:
        return self._make()

    def with_graphs(self, change: Callable[[Graph], Graph]) -> LatePlan:
        return LatePlan(change(self.program), lambda: self._made.with_graphs(change))
