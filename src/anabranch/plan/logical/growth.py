"""A region while it grows: its operators, and the key that routes all of them.

The region key is in terms of the attributes of the items that enter the region. An operator's own
key is traced back to them through what the operators before it forward unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anabranch.analysis.fact import EXACTLY_ONE, Forwarding, Interval, StateKind, StateOf
from anabranch.ir.graph import Operator
from anabranch.plan.logical.safety import Context

Column = tuple[str, ...]
"""One attribute of the key: its name at each input of the region's first operator."""


@dataclass(frozen=True)
class Growth:
    """`key` is None as long as there is no state: then any routing will do."""

    operators: tuple[str, ...]
    key: tuple[Column, ...] | None
    entry: tuple[Forwarding, ...]
    passed: tuple[Forwarding, ...] = ()
    selectivity: Interval = EXACTLY_ONE
    ended: str = ""

    @staticmethod
    def at(context: Context, op: Operator) -> Growth:
        """The region that begins with `op`."""
        if op.is_source:
            # A parallel source cannot route: it is partitioned as it says, or not at all.
            return Growth((op.name,), own_key(context, op) or (), (Forwarding(everything=True),))
        facts = context.of(op)
        entry = tuple(fact.value for fact in facts.forwarding)
        return Growth((op.name,), own_key(context, op), entry, (), _selectivity(context, op))

    def with_operator(self, context: Context, op: Operator) -> Growth | None:
        """This region with one more operator at its end; None when their keys share nothing."""
        key = self._common_key(context, op)
        if key == () and own_key(context, op):
            return None
        passed = context.of(op).forwarding
        return replace(self, operators=(*self.operators, op.name), key=key,
                       passed=(*self.passed, *(fact.value for fact in passed)),
                       selectivity=self.selectivity.then(_selectivity(context, op)))

    def routing_key(self, port: int) -> tuple[str, ...]:
        return tuple(column[port] for column in self.key or ())

    def _common_key(self, context: Context, op: Operator) -> tuple[Column, ...] | None:
        own = own_key(context, op)
        if own is None:
            return self.key
        traced = [column for (attribute,) in own if (column := self._traced(attribute))]
        return tuple(traced if self.key is None else (c for c in self.key if c in traced))

    def _traced(self, attribute: str) -> Column | None:
        """The attribute as it entered, at each input; None when it is not forwarded from all."""
        for step in reversed(self.passed):
            if (attribute := step.origin(attribute)) is None:
                return None
        column = tuple(step.origin(attribute) for step in self.entry)
        return column if column and None not in column else None


def own_key(context: Context, op: Operator) -> tuple[Column, ...] | None:
    """The key of the operator's own state, in terms of its inputs; None without state."""
    state: StateOf = context.of(op).state.value
    if state.kind is not StateKind.PARTITIONED:
        return None
    ports = max(1, len(op.inputs))
    keys = state.keys if len(state.keys) == ports else state.keys[:1] * ports
    return tuple(dict.fromkeys(zip(*keys, strict=True)))


def _selectivity(context: Context, op: Operator) -> Interval:
    return EXACTLY_ONE if op.is_source or op.is_sink else context.of(op).selectivity.value
