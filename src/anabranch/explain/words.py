"""Facts in a few words, as in a column of the explanation; a plan in one line."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.analysis.fact import Fact, OperatorFacts
from anabranch.analysis.facts.declarations import is_commutative
from anabranch.ir.graph import Operator
from anabranch.ir.types import AnyOf
from anabranch.plan.logical.plan import Plan


def kind(op: Operator) -> str:
    """The kind of an operator, and whether it needs no order of what comes."""
    return f"{op.kind.label}, in any order" if is_commutative(op) else op.kind.label


def state(facts: OperatorFacts) -> str:
    return _marked(facts.state)


def selectivity(facts: OperatorFacts) -> str:
    return _marked(facts.selectivity)


def forwards(facts: OperatorFacts, width: int) -> str:
    """What an operator forwards; ports that differ are separated by `/`."""
    ports = dict.fromkeys(shortened(str(f.value).split(", "), width) for f in facts.forwarding)
    return " / ".join(ports) + _declared(*facts.forwarding)


def _marked(fact: Fact) -> str:
    return f"{fact.value}{_declared(fact)}"


def _declared(*facts: Fact) -> str:
    return " (declared)" if any(f.declared for f in facts) else ""


def place(plan: Plan, op: Operator) -> str:
    """Where a source reads or a sink writes, and the type of its items where it is known."""
    [item] = plan.graph.output_types(op) if op.is_source else plan.graph.input_types(op)
    nowhere = f"no data yet: --input {op.name}=PATH" if op.is_source else "standard output"
    where = nowhere if op.kind.spec is None else str(op.kind.spec)
    return where if isinstance(item, AnyOf) else f"{where} ({item})"


def shortened(words: Iterable[str], width: int) -> str:
    """A list within a width: whole words only, and how many were left out.

    >>> shortened(["uid", "server", "message"], 30)
    'uid, server, message'
    >>> shortened(["uid", "server", "message", "level"], 20)
    'uid, server, +2'
    """
    words = list(words)
    for count in range(len(words), 0, -1):
        left_out = [f"+{len(words) - count}"] if count < len(words) else []
        text = ", ".join(words[:count] + left_out)
        if len(text) <= width:
            return text
    return ", ".join(words) if len(words) < 2 else f"{len(words)} attributes"


def counts(plan: Plan) -> tuple[int, int, int]:
    """How many operators there are, how many can run in parallel, and in how many regions."""
    inner = [op.name for op in plan.graph if not (op.is_source or op.is_sink)]
    parallel = [name for name in inner if plan.region_of(name) or name in plan.synchronized
                or name in plan.fissed]
    return len(inner), len(parallel), len(plan.regions)


def summary(plan: Plan) -> str:
    """Such as "3 of 5 operators can run in parallel, in 2 regions"."""
    return sentence(*counts(plan))


def sentence(operators: int, parallel: int, regions: int) -> str:
    """The numbers in words.

    >>> sentence(5, 3, 2)
    '3 of 5 operators can run in parallel, in 2 regions'
    >>> sentence(1, 1, 1)
    '1 of 1 operator can run in parallel, in 1 region'
    """
    if operators == 0:
        return "there are no operators between the sources and the sinks"
    where = f", in {_many(regions, 'region')}" if regions else ""
    return f"{parallel} of {_many(operators, 'operator')} can run in parallel{where}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
