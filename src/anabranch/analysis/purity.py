"""Purity: what an operator's functions do besides computing their outputs."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch

from anabranch.analysis.context import Context
from anabranch.analysis.effect_runs import arguments_of
from anabranch.analysis.facts import ITEMS, Effect, EffectKind, Fact
from anabranch.analysis.roots import NEW, Root, Value
from anabranch.analysis.statements import typed
from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.analysis.walk import Walk
from anabranch.ir import operators as kinds
from anabranch.ir.aggregates import Aggregate
from anabranch.ir.function import Function
from anabranch.ir.fused import Fused
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.join import WindowJoin
from anabranch.ir.types import ANY, INT, RecordOf, Type
from anabranch.ir.windows import AggregateWindow


@dataclass(frozen=True)
class Argument:
    """What an operator gives to a parameter: an item, its state, or something plain."""

    kind: str
    type: Type = ANY


@dataclass(frozen=True)
class Use:
    """A function of an operator and what it is called with."""

    function: Function
    arguments: tuple[Argument, ...]


def purity(graph: Graph, op: Operator) -> Fact[tuple[Effect, ...]]:
    """The effects of an operator's functions; none when it is pure."""
    if isinstance(op.kind, Fused):
        return op.kind.known.purity
    found: dict[Effect, None] = {}
    contexts = [(use, *_walked(use)) for use in _uses(op.kind, graph, op)]
    every = [context for _, context, _ in contexts]
    for use, context, walk in contexts:
        found |= dict.fromkeys(context.effects.values())
        found |= dict.fromkeys(_through_state(context, every))
        if walk is not None:
            # What is given out at the end cannot be changed by firings: there are none behind it.
            later = [context] if use is contexts[-1][0] else every
            found |= dict.fromkeys(_given_out(op.kind, walk, later))
    effects = tuple(found)
    if not effects:
        return Fact((), "it only computes", op.span)
    first = next((e for e in effects if e.kind is not EffectKind.READS_SHARED), effects[0])
    return Fact(effects, first.reason, first.span)


def effects_of(function: Function, arguments: Iterable[Type]) -> tuple[Effect, ...]:
    """What a function does besides computing, called with plain values of these types."""
    context, _ = _walked(Use(function, tuple(Argument("plain", t) for t in arguments)))
    return tuple(dict.fromkeys(context.effects.values()))


@singledispatch
def _uses(kind: kinds.Kind, graph: Graph, op: Operator) -> Iterable[Use]:
    raise TypeError(f"{op.name}: the effects of a {kind.label} are not defined")


@_uses.register(kinds.Source)
def _of_position(kind, graph, op):
    made_by = getattr(kind.spec, "function", None)
    return [Use(Function.of(made_by), (Argument("plain", INT),))] if callable(made_by) else []


@_uses.register(kinds.Sink)
def _of_callback(kind, graph, op):
    called = getattr(kind.spec, "callback", None)
    items = tuple(Argument("item", t) for t in graph.input_types(op))
    return [Use(Function.of(called), items)] if called is not None else []


@_uses.register(kinds.Union)
@_uses.register(kinds.Modelled)
def _no_functions(kind, graph, op):
    return []


@_uses.register(kinds.Map)
@_uses.register(kinds.Filter)
@_uses.register(kinds.FlatMap)
@_uses.register(kinds.Split)
@_uses.register(WindowJoin)
@_uses.register(kinds.Barrier)
def _of_items(kind, graph, op):
    items = tuple(Argument("item", t) for t in graph.input_types(op))
    return [Use(function, items) for function in kind.functions]


@_uses.register(kinds.Apply)
def _of_state(kind, graph, op):
    items = tuple(Argument("item", t) for t in graph.input_types(op))
    state = (Argument("state", RecordOf(kind.state)),) if kind.stateful else ()
    at_end = [Use(kind.at_end, state)] if kind.at_end else []
    return [Use(kind.function, state + items), *at_end]


@_uses.register(kinds.Routine)
def _of_variables(kind, graph, op):
    types = set(graph.input_types(op))
    item = Argument("item", types.pop() if len(types) == 1 else ANY)
    variables = (Argument("variable"),) * kind.reads
    return [Use(kind.function, (item, Argument("plain"), *variables))]


@_uses.register(AggregateWindow)
def _of_folds(kind, graph, op):
    values = _of_items(kind, graph, op)
    folds = dict.fromkeys(call.aggregate for _, call in kind.calls)
    own = [f for f in folds if f.__module__ != Aggregate.__module__]
    return [*values, *(use for fold in own for use in _methods(fold))]


def _methods(fold: type) -> Iterable[Use]:
    state, value = Argument("state", RecordOf(fold)), Argument("item")
    takes = {"add": (state, value), "join": (state, state), "result": (state,)}
    return [Use(Function.of(getattr(fold, name)), arguments)
            for name, arguments in takes.items() if hasattr(fold, name)]


def _walked(use: Use) -> tuple[Context, Walk | None]:
    syntax, context = syntax_of(use.function.call), Context()
    if isinstance(syntax, Missing):
        context.unresolved(use.function.name, syntax.reason, use.function.span)
        return context, None
    given = [_value(a, n) for a, n in zip(use.arguments, syntax.parameters)]
    found = typed(syntax, [a.type for a in use.arguments])
    context.active.append(syntax.code)
    walk = Walk(syntax, arguments_of(syntax, given, {}), found.types, context)
    return context, walk.run()


def _value(argument: Argument, name: str) -> Value:
    match argument.kind:
        case "item":
            return Value.of(Root("item", name))
        case "state":
            return Value.of(Root("state", name))
        case "variable":
            return Value.of(Root("state", name, 1))
    return NEW


def _through_state(context: Context, every: list[Context]) -> Iterable[Effect]:
    """A list of the input that is kept in the state, and is changed there by any function."""
    for place, root, span in context.placed:
        if root.kind == "item" and any(c.changes_within(place) for c in every):
            yield Effect(EffectKind.WRITES, root.name,
                         f"changes a part of `{root.name}` that is kept in the state", span,
                         frozenset((ITEMS,)))


def _given_out(kind: kinds.Kind, walk: Walk, later: list[Context]) -> Iterable[Effect]:
    """Parts of the state in outputs, which a later firing may change."""
    if isinstance(kind, AggregateWindow):
        return
    for node, value in walk.emitted:
        if isinstance(kind, kinds.Routine) and isinstance(node, ast.Tuple):
            node = node.elts[0]
            value = walk.value(node)
        for root in sorted(value.all, key=lambda r: (r.name, r.depth)):
            if root.kind == "state" and any(_can_change(root, c) for c in later):
                yield Effect(EffectKind.WRITES, _field(root),
                             f"`{ast.unparse(node)}` is given out while the state in it can still "
                             "change", walk.syntax.at(node))
                break


def _can_change(root: Root, context: Context) -> bool:
    return root.depth == 0 or context.changes_within(root)


def _field(root: Root) -> str:
    return f"state.{root.name}" if root.depth else "state"
