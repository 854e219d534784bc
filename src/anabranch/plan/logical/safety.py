"""The conditions under which an operator may be replicated; each names its violation.

What may be parallelised beyond Schneider et al. stands here as well, each under a name of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from anabranch.analysis.fact import Fact, Facts, OperatorFacts, StateKind
from anabranch.core.once import once
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.synchronization import Synchronized
from anabranch.plan.logical.plan import Reason


@dataclass(frozen=True)
class Extensions:
    """The switches; with all of them off, regions are exactly those of the paper.

    prolific: operators with more than one output per input. All outputs of a firing travel under
    one stamp, so that the merger keeps them together.
    fan_in: an operator with several inputs may begin a region. Stamps from the sources on decide
    the order between its inputs.
    fan_out: an operator with several outputs or readers may end a region, with a joint on each.
    """

    prolific: bool = False
    fan_in: bool = False
    fan_out: bool = False


PAPER = Extensions()
ALL = Extensions(prolific=True, fan_in=True, fan_out=True)


@dataclass(frozen=True)
class Context:
    """A graph with what is known of it and the extensions that are allowed."""

    graph: Graph
    facts: Facts
    extensions: Extensions

    def of(self, op: Operator) -> OperatorFacts:
        return self.facts[op.name]

    @once
    def users(self) -> Counter[str]:
        """How many operators touch each variable."""
        return Counter(v for op in self.graph for v in op.variables)

    @once
    def splitting(self) -> frozenset[str]:
        """The synchronized operators whose hot keys are split."""
        return frozenset(op.name for op in self.graph if isinstance(op.kind, Synchronized)
                         and op.kind.splits_keys)

    @once
    def behind_loops(self) -> frozenset[str]:
        """The operators on a loop, and those that a loop feeds."""
        behind = set(self.graph.looping)
        for op in self.graph:
            if any(before.name in behind for before in self.graph.predecessors(op)):
                behind.add(op.name)
        return frozenset(behind)


def obstacle(context: Context, op: Operator) -> Reason | None:
    """Why the operator cannot be replicated, if so: the first condition that it violates."""
    reasons = (condition(context, op) for condition in CONDITIONS)
    return next((reason for reason in reasons if reason), None)


def fan_out(graph: Graph, op: Operator) -> int:
    return max(len(op.outputs), len(graph.successors(op)))


def violated_by(name: str, reason: Reason) -> str:
    """A reason as said of another operator.

    >>> violated_by("o13", Reason("has 2 inputs"))
    'o13 has 2 inputs'
    >>> violated_by("log", Reason("state is unknown: appends to the global list `seen`"))
    "log's state is unknown: appends to the global list `seen`"
    """
    if reason.text.startswith(("state ", "selectivity ")):
        return f"{name}'s {reason.text}"
    if reason.text.startswith("its "):
        return f"{name}'s {reason.text.removeprefix('its ')}"
    verb = "is " if reason.text.startswith("part ") else ""
    return f"{name} {verb}{reason.text}"


def _no_loop(context: Context, op: Operator) -> Reason | None:
    return Reason("part of a loop", op.span) if op.name in context.graph.looping else None


def _own_state(context: Context, op: Operator) -> Reason | None:
    """Replicas have variables of their own, so nobody else may look at them."""
    shared = next((v for v in op.variables if context.users[v] > 1), None)
    return Reason(f"shares the variable `{shared}` with another operator", op.span) \
        if shared else None


def _partitionable(context: Context, op: Operator) -> Reason | None:
    state = context.of(op).state
    if state.value.kind is StateKind.PARTITIONED and not all(state.value.keys):
        return _because("state is partitioned by nothing", state, op)
    if state.value.kind in (StateKind.STATELESS, StateKind.PARTITIONED):
        return None
    return _because(f"state is {state.value.kind.value}", state, op)


def _unordered_sink(context: Context, op: Operator) -> Reason | None:
    return Reason("writes in order", op.span) if op.is_sink and op.kind.ordered else None


def _selective(context: Context, op: Operator) -> Reason | None:
    selectivity = context.of(op).selectivity
    if op.is_sink or selectivity.value.at_most_one or context.extensions.prolific:
        return None
    return _because(f"selectivity is {selectivity.value}", selectivity, op)


def _one_input(context: Context, op: Operator) -> Reason | None:
    inputs = len(op.inputs)
    if inputs <= 1:
        return None
    if not context.extensions.fan_in:
        return Reason(f"has {inputs} inputs", op.span)
    # Stamps cannot pass a loop: an item that goes round has no place among those that come later.
    return Reason(f"has {inputs} inputs behind a loop", op.span) \
        if op.name in context.behind_loops else None


def _one_output(context: Context, op: Operator) -> Reason | None:
    if fan_out(context.graph, op) <= 1 or context.extensions.fan_out:
        return None
    if len(op.outputs) > 1:
        return Reason(f"has {len(op.outputs)} outputs", op.span)
    readers = len(context.graph.successors(op))
    return Reason(f"its output is read by {readers} operators", op.span)


CONDITIONS: tuple[Callable[[Context, Operator], Reason | None], ...] = (
    _no_loop, _own_state, _unordered_sink, _partitionable, _selective, _one_input, _one_output)


def _because(violation: str, fact: Fact, op: Operator) -> Reason:
    return Reason(f"{violation}: {fact.reason}" if fact.reason else violation, fact.span or op.span)
