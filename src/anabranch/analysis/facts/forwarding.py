"""Forwarding: which output attributes are input attributes unchanged, by port."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import singledispatch

from anabranch.analysis.fact import Fact, Forwarding
from anabranch.analysis.facts.copies import Copies, View, on_every_path
from anabranch.analysis.output_count import falls_through
from anabranch.analysis.scope import own_nodes
from anabranch.analysis.syntax import FunctionSyntax, Missing, syntax_of
from anabranch.ir import operators as kinds
from anabranch.ir.aggregates import Any, First, Last
from anabranch.ir.changes import SortTies, WindowChanges
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Fused
from anabranch.ir.types import ANY, DECIMAL, FLOAT, Type, fields_of, without_none
from anabranch.ir.windows import AggregateWindow, WatermarkWindow, WindowJoin

Emitted = list[ast.expr | None]
ALL, NONE = Forwarding(everything=True), Forwarding()


def forwarding(graph: Graph, op: Operator) -> tuple[Fact[Forwarding], ...]:
    """A fact for each input port; a source has one, for the items it brings."""
    return _of(op.kind, graph, op)


@singledispatch
def _of(kind: kinds.Kind, graph: Graph, op: Operator) -> tuple[Fact[Forwarding], ...]:
    raise TypeError(f"{op.name}: the forwarding of a {kind.label} is not defined")


def _alike(op: Operator, fact: Fact[Forwarding]) -> tuple[Fact[Forwarding], ...]:
    return (fact,) * max(1, len(op.inputs))


@_of.register(kinds.Source)
@_of.register(kinds.Sink)
@_of.register(kinds.Filter)
@_of.register(kinds.Split)
def _unchanged(kind, graph, op):
    return _alike(op, Fact(ALL, f"a {kind.label} does not change items", op.span))


@_of.register(kinds.Union)
def _union(kind, graph, op):
    if kind.on is not None:
        return _alike(op, Fact(NONE, "an output may be an item that waited", op.span))
    return _unchanged(kind, graph, op)


@_of.register(WindowChanges)
def _changes(kind, graph, op):
    return _alike(op, Fact(NONE, "an output may be an item that leaves", op.span))


@_of.register(SortTies)
def _sort(kind, graph, op):
    return _alike(op, Fact(NONE, "an output may be an item that waited", op.span))


@_of.register(kinds.Barrier)
def _barrier(kind, graph, op):
    return _alike(op, Fact(NONE, "an output is made of items of several inputs", op.span))


@_of.register(kinds.Modelled)
def _model(kind, graph, op):
    return _alike(op, Fact(NONE, "nothing is declared", op.span))


@_of.register(Fused)
def _fused(kind, graph, op):
    return kind.known.forwarding


@_of.register(kinds.Map)
def _map(kind, graph, op):
    return (_copied(kind.function, graph.input_types(op)[0], 0, returned),)


@_of.register(kinds.FlatMap)
def _flat_map(kind, graph, op):
    return (_copied(kind.function, graph.input_types(op)[0], 0, given),)


@_of.register(kinds.Apply)
def _apply(kind, graph, op):
    if kind.at_end is not None:
        # They leave on the channel that has the state, which no attribute of theirs decides.
        return (Fact(NONE, "its outputs at the end copy no input", kind.at_end.span),)
    return (_copied(kind.function, graph.input_types(op)[0], int(kind.stateful), given),)


@_of.register(kinds.Routine)
def _routine(kind, graph, op):
    return tuple(_copied(kind.function, t, 0, _listed) for t in graph.input_types(op))


@_of.register(kinds.RatedRoutine)
def _rated(kind, graph, op):
    if kind.passes:
        return _alike(op, Fact(ALL, "gives its input itself", op.span))
    return _alike(op, Fact(NONE, "an output is made of what a firing sees", op.span))


@_of.register(AggregateWindow)
def _aggregate(kind, graph, op):
    fields = fields_of(graph.input_types(op)[0]) or {}
    chosen = [(name, call.value) for name, call in kind.calls
              if call.aggregate in (Any, First, Last) and call.value in kind.by
              and call.where is None]
    pairs = [(a, a) for a in kind.shown if a in kind.by] + chosen
    exact = tuple((o, i) for o, i in pairs if _is_exact(fields.get(i, ANY)))
    reason = "all items of a window share its key" if exact else "a window has no key to forward"
    return (Fact(Forwarding(exact), reason, op.span),)


@_of.register(WatermarkWindow)
def _together(kind, graph, op):
    return _aggregate(kind.of, graph, op)


def _is_exact(key: Type) -> bool:
    """Whether equal keys are the same value; 0.0 equals -0.0, and is another number, and of
    decimals 1.0 equals 1.00."""
    return without_none(key) not in (FLOAT, DECIMAL)


@_of.register(WindowJoin)
def _join(kind, graph, op):
    syntax = syntax_of(kind.function.call)
    if isinstance(syntax, Missing):
        return _alike(op, Fact(NONE, syntax.reason, kind.function.span))
    types = graph.input_types(op)
    names = syntax.parameters[:2]
    copies = Copies(syntax, dict(zip(names, types)))
    items = [copies.item(e) for e in returned(syntax)]
    views = [View(names[port], _equal_keys(kind, names, types, port)) for port in (0, 1)]
    return tuple(_fact(on_every_path(map(view.forwarding, items)), syntax) for view in views)


def _equal_keys(kind: WindowJoin, names, types, port: int) -> dict[tuple[str, str], str]:
    """The other side's key attributes, and this side's that they equal."""
    keys, other = kind.keys_of(port), kind.keys_of(1 - port)
    own, theirs = (fields_of(types[p]) or {} for p in (port, 1 - port))
    return {(names[1 - port], b): a for a, b in zip(keys, other)
            if own.get(a, ANY) == theirs.get(b, ANY) and _is_exact(own.get(a, ANY))}


def _copied(function: Function, item: Type, position: int,
            emitted: Callable[[FunctionSyntax], Emitted]) -> Fact[Forwarding]:
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing):
        return Fact(NONE, syntax.reason, function.span)
    if len(syntax.parameters) <= position:
        return Fact(NONE, "its item is not a parameter of its own", syntax.span)
    name = syntax.parameters[position]
    copies = Copies(syntax, {name: item})
    expressions = emitted(syntax)
    found = [View(name, {}).forwarding(copies.item(e)) for e in expressions]
    other = next((e for e, f in zip(expressions, found) if f == NONE), None)
    return _fact(on_every_path(found), syntax, other)


def _fact(found: Forwarding, syntax: FunctionSyntax, other: ast.expr | None = None) -> Fact:
    span = syntax.at(other) if hasattr(other, "lineno") else syntax.span
    if found.everything:
        return Fact(found, "gives its input itself", syntax.span)
    if found.pairs:
        return Fact(found, "copied on every path", syntax.span)
    return Fact(found, "an output copies no attribute of the input", span)


def returned(syntax: FunctionSyntax) -> Emitted:
    """What a function returns; None where it ends without."""
    if syntax.is_generator:
        return [None]
    values = [branch for value in _returns(syntax) for branch in _branches(value)]
    return [*values, None] if falls_through(syntax) else values


def _branches(node: ast.expr | None) -> Emitted:
    """The expressions that a conditional expression may be."""
    if isinstance(node, ast.IfExp):
        return [*_branches(node.body), *_branches(node.orelse)]
    return [node]


def given(syntax: FunctionSyntax) -> Emitted:
    """What a function yields, or the elements of what it returns."""
    if not syntax.is_generator:
        return [e for value in _returns(syntax) for e in _elements(value)]
    found: Emitted = []
    for node in own_nodes(syntax.body):
        if isinstance(node, ast.Yield):
            found.append(node.value)
        elif isinstance(node, ast.YieldFrom):
            found.extend(_elements(node.value))
    return found


def _listed(syntax: FunctionSyntax) -> Emitted:
    """The items in the lists of a routine's `(lists, values)`."""
    found: Emitted = []
    for value in _returns(syntax):
        match value:
            case ast.Tuple(elts=[ast.List(elts=lists) | ast.Tuple(elts=lists), _]):
                found.extend(e for part in lists for e in _elements(part))
            case _:
                found.append(None)
    return found


def _returns(syntax: FunctionSyntax) -> Emitted:
    return [n.value for n in own_nodes(syntax.body) if isinstance(n, ast.Return)]


def _elements(node: ast.expr | None) -> Emitted:
    """The expressions of the items that iterating over an expression gives; None: not known."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [e for i in items
                    for e in (_elements(i.value) if isinstance(i, ast.Starred) else [i])]
        case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item) | ast.SetComp(elt=item):
            return [item]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_elements(body), *_elements(orelse)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_elements(left), *_elements(right)]
    return [None]
