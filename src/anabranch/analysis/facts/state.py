"""State: what an operator remembers, and by which key it falls apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path

from anabranch.analysis.effects.machine import EVERYTHING
from anabranch.analysis.effects.purity import Effects, advice
from anabranch.analysis.fact import (
    FORKABLE,
    IN_BLOCKS,
    ITEMS,
    STATELESS,
    UNKNOWN_STATE,
    UNPARTITIONED,
    Effect,
    EffectKind,
    Fact,
    StateKind,
    StateOf,
)
from anabranch.ir import operators as kinds
from anabranch.ir.changes import SortTies, WindowChanges
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Fused
from anabranch.ir.synchronization import Synchronized
from anabranch.ir.windows import AggregateWindow, WatermarkWindow, WindowJoin

EffectsOf = Mapping[str, tuple[Effect, ...]]


@dataclass(frozen=True)
class Touched:
    """What the operators of a graph do to things outside of them, and who shares which variable."""

    effects: EffectsOf
    changed: frozenset[object]
    sharing: Mapping[str, tuple[str, ...]]
    changeable: frozenset[str]
    rebinding: tuple[tuple[str, Effect], ...]

    @staticmethod
    def of(graph: Graph, effects: EffectsOf | None = None,
           changeable: frozenset[str] = frozenset()) -> Touched:
        """`changeable` are the operators whose items have something in them that can change."""
        if effects is None:
            found = Effects().of(graph)
            effects = {name: each.fact.value for name, each in found.items()}
            changeable = frozenset(name for name, each in found.items() if each.changeable)
        changing = [e for found in effects.values() for e in found
                    if e.kind in (EffectKind.WRITES, EffectKind.UNRESOLVED)]
        changed = {key for e in changing for key in (e.name, *e.identity)}
        sharing: dict[str, tuple[str, ...]] = {}
        for op in graph:
            for variable in op.variables:
                sharing[variable] = (*sharing.get(variable, ()), op.name)
        rebinding = tuple((name, e) for name, found in effects.items() for e in found
                          if EVERYTHING in e.identity)
        return Touched(effects, frozenset(changed), sharing, changeable, rebinding)


def state(graph: Graph, op: Operator, touched: Touched | None = None) -> Fact[StateOf]:
    """The state of an operator; unknown when its functions do more than compute."""
    touched = touched or Touched.of(graph)
    return (shared_variable(op, touched) or _hidden(op, touched) or _rebound(op, touched)
            or _changing_items(graph, op, touched) or _of(op.kind, op))


def shared_variable(op: Operator, touched: Touched) -> Fact[StateOf] | None:
    """A variable that several operators touch cannot fall apart by the key of one of them."""
    for variable in op.variables:
        others = [name for name in touched.sharing.get(variable, ()) if name != op.name]
        if others:
            return Fact(UNPARTITIONED, f"shares the variable {variable} with {others[0]}", op.span)
    return None


def _hidden(op: Operator, touched: Touched) -> Fact[StateOf] | None:
    """State that is not the operator's own: what its functions write, or read while it changes.
    A sink takes its items in order, whatever it does with them."""
    if op.is_sink:
        return None
    for effect in touched.effects[op.name]:
        if effect.kind is not EffectKind.READS_SHARED:
            return Fact(UNKNOWN_STATE, effect.reason + advice(op, effect), effect.span)
    for effect in touched.effects[op.name]:
        if touched.changed.intersection((effect.name, *effect.identity)):
            return Fact(UNKNOWN_STATE, f"{effect.reason}, which changes while the program runs",
                        effect.span)
    return None


def _rebound(op: Operator, touched: Touched) -> Fact[StateOf] | None:
    """Functions of other operators may use any name that such a call gives another value."""
    for name, effect in touched.rebinding if op.kind.functions else ():
        if name != op.name:
            return Fact(UNKNOWN_STATE, f"{name} calls `{effect.name}`, which may change anything "
                                       "that it uses", op.span)
    return None


def _changing_items(graph: Graph, op: Operator, touched: Touched) -> Fact[StateOf] | None:
    """Items with lists in them that another operator changes, while this one may hold them too."""
    if ITEMS not in touched.changed or op.name not in touched.changeable or op.is_source:
        return None
    by = next(name for name, effects in touched.effects.items()
              if any(ITEMS in e.identity for e in effects))
    return Fact(UNKNOWN_STATE, f"{by} changes items in place, which it may share", op.span)


@singledispatch
def _of(kind: kinds.Kind, op: Operator) -> Fact[StateOf]:
    raise TypeError(f"{op.name}: the state of a {kind.label} is not defined")


@_of.register(kinds.Map)
@_of.register(kinds.Filter)
@_of.register(kinds.FlatMap)
@_of.register(kinds.Split)
def _stateless(kind, op):
    return Fact(STATELESS, f"a {kind.label} sees one item at a time", op.span)


@_of.register(kinds.Source)
def _source(kind, op):
    if kind.spec is None:
        return Fact(UNKNOWN_STATE, "no input is bound to it", op.span)
    if kind.spec.replayable:
        return Fact(STATELESS, "rows can be read from any position", op.span)
    return Fact(UNPARTITIONED, "its rows can be read only one after the other", op.span)


@_of.register(kinds.Sink)
def _sink(kind, op):
    if kind.ordered:
        return Fact(UNPARTITIONED, "writes one ordered sequence", op.span)
    return Fact(STATELESS, "gives up the order of its items", op.span)


@_of.register(kinds.Union)
def _union(kind, op):
    if kind.on is None:
        return Fact(STATELESS, "passes items on as they come", op.span)
    return Fact(UNPARTITIONED, f"holds items back to merge them by {kind.on}", op.span)


@_of.register(kinds.Barrier)
def _barrier(kind, op):
    return Fact(UNPARTITIONED, "pairs items by their position", op.span)


@_of.register(kinds.Apply)
def _apply(kind, op):
    if not kind.stateful:
        return Fact(STATELESS, "it has no state parameter", op.span)
    # The states of other languages have names that their users never wrote.
    name = kind.state.__name__ if _in_python(op) else "state"
    return _keyed(kind, op, f"one {name} for each value of {', '.join(kind.by)}",
                  f"one {name} is shared by all tuples{_key_advice(op)}")


@_of.register(Synchronized)
def _synchronized(kind, op):
    if kind.by:
        return _apply(kind, op)
    return Fact(FORKABLE, f"one {kind.state.__name__} that can be forked and joined", op.span)


@_of.register(AggregateWindow)
def _aggregate(kind, op):
    return _keyed(kind, op, f"windows for each value of {', '.join(kind.by)}",
                  f"all tuples share its windows{_key_advice(op)}")


@_of.register(WindowChanges)
def _changes(kind, op):
    return _keyed(kind, op, f"a window for each value of {', '.join(kind.by)}",
                  f"all tuples share its windows{_key_advice(op)}")


@_of.register(SortTies)
def _sort(kind, op):
    return _keyed(kind, op, f"holds items of one {kind.on} for each value of {', '.join(kind.by)}",
                  f"holds back all items of one {kind.on}, to sort them")


@_of.register(WatermarkWindow)
def _together(kind, op):
    return Fact(UNPARTITIONED, "its windows end when any row shows that the time is past", op.span)


@_of.register(WindowJoin)
def _join(kind, op):
    return _keyed(kind, op, "keeps items for each value of their key",
                  f"all tuples share what it keeps{_key_advice(op)}")


def _in_python(op: Operator) -> bool:
    return op.span is None or Path(op.span.file).suffix in ("", ".py", ".ipynb")


def _key_advice(op: Operator) -> str:
    """What a program in Python can do; those in other languages have no such form."""
    return ": give by=..." if _in_python(op) else ""


def _keyed(kind: kinds.Keyed, op: Operator, partitioned: str, whole: str) -> Fact[StateOf]:
    if not kind.by:
        return Fact(UNPARTITIONED, whole, op.span)
    keys = tuple(kind.keys_of(port) for port in range(kind.ports))
    return Fact(StateOf(StateKind.PARTITIONED, keys), partitioned, op.span)


@_of.register(Fused)
def _fused(kind, op):
    return kind.known.state


@_of.register(kinds.Routine)
def _routine(kind, op):
    if not op.variables:
        return Fact(STATELESS, "it has no variable", op.span)
    return Fact(UNPARTITIONED, f"all tuples share the variable {op.variables[0]}: declare @Keys",
                op.span)


@_of.register(kinds.RatedRoutine)
def _rated(kind, op):
    if kind.keeps is not None:
        reason, span = kind.keeps
        return Fact(UNPARTITIONED, reason, span or op.span)
    return Fact(IN_BLOCKS if op.variables else STATELESS,
                f"a firing sees {kind.sees} and keeps nothing", op.span)


@_of.register(kinds.Modelled)
def _model(kind, op):
    return Fact(UNKNOWN_STATE, "nothing is declared", op.span)
