"""Selectivity: how many outputs one input gives; those at the end do not count."""

from __future__ import annotations

import ast
from functools import singledispatch

from anabranch.analysis.fact import AT_MOST_ONE, EXACTLY_ONE, NOTHING, UNBOUNDED, Fact, Interval
from anabranch.analysis.output_count import outputs, size, unbounded_at
from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.ir import operators as kinds
from anabranch.ir.changes import SortTies, WindowChanges
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Fused
from anabranch.ir.windows import AggregateWindow, WatermarkWindow, Window, WindowJoin


def selectivity(graph: Graph, op: Operator) -> Fact[Interval]:
    """How many outputs one input gives."""
    return _of(op.kind, op)


def gives_one(op: Operator) -> bool:
    """Whether it gives as many outputs as it is given inputs."""
    return _of(op.kind, op).value == EXACTLY_ONE and not emits_at_end(op)


def emits_at_end(op: Operator) -> bool:
    """Whether it may give outputs when its input has ended."""
    match op.kind:
        case kinds.Apply(at_end=at_end):
            return at_end is not None
        case AggregateWindow(window=window) | WatermarkWindow(of=AggregateWindow(window=window)):
            return window.partial
        case kinds.Union(on=on):
            return on is not None
        case SortTies():
            return True
    return False


@singledispatch
def _of(kind: kinds.Kind, op: Operator) -> Fact[Interval]:
    raise TypeError(f"{op.name}: the selectivity of a {kind.label} is not defined")


@_of.register
def _source(kind: kinds.Source, op):
    return Fact(EXACTLY_ONE, "gives each item once", op.span)


@_of.register
def _sink(kind: kinds.Sink, op):
    return Fact(EXACTLY_ONE, "writes each item once", op.span)


@_of.register
def _map(kind: kinds.Map, op):
    return Fact(EXACTLY_ONE, "a map gives one output for each input", op.span)


@_of.register
def _filter(kind: kinds.Filter, op):
    return Fact(AT_MOST_ONE, "a filter gives its input or nothing", op.span)


@_of.register
def _split(kind: kinds.Split, op):
    return Fact(AT_MOST_ONE, "each of its outputs gets an input or does not", op.span)


@_of.register
def _flat_map(kind: kinds.FlatMap, op):
    return _counted(kind.function)


@_of.register
def _apply(kind: kinds.Apply, op):
    return _counted(kind.function)


@_of.register
def _routine(kind: kinds.Routine, op):
    return _counted(kind.function, _routine_size)


@_of.register
def _rated(kind: kinds.RatedRoutine, op):
    return Fact(Interval(*kind.gives), f"a firing sees {kind.sees}", op.span)


@_of.register
def _union(kind: kinds.Union, op):
    if kind.on is None:
        return Fact(EXACTLY_ONE, "a union in arrival order gives each input once", op.span)
    return Fact(UNBOUNDED, f"one input may release many that waited for their {kind.on}", op.span)


@_of.register
def _barrier(kind: kinds.Barrier, op):
    return Fact(AT_MOST_ONE, "an input completes at most one set", op.span)


@_of.register
def _changes(kind: WindowChanges, op):
    if kind.after is None and kind.count is None:
        return Fact(EXACTLY_ONE, "nothing ever leaves its window", op.span)
    return Fact(UNBOUNDED, "many items may leave its window when one comes", op.span)


@_of.register
def _sort(kind: SortTies, op):
    return Fact(UNBOUNDED, f"one input may release many that waited for a later {kind.on}", op.span)


@_of.register
def _together(kind: WatermarkWindow, op):
    return Fact(UNBOUNDED, "an input may end the windows of many keys", op.span)


@_of.register
def _aggregate(kind: AggregateWindow, op):
    window = kind.window
    if window.whole:
        return Fact(NOTHING, "its results come at the end of the input", op.span)
    if not window.by_time:
        if window.size == window.step == 1:
            return Fact(EXACTLY_ONE, "each input is a window", op.span)
        return Fact(AT_MOST_ONE, "an input completes at most one window", op.span)
    if _disjoint(window):
        return Fact(AT_MOST_ONE, "an input ends at most one window of its key", op.span)
    return Fact(UNBOUNDED, "an input may end several windows that overlap", op.span)


def _disjoint(window: Window) -> bool:
    """Whether no item lies in two windows; the borders of broken sizes are subject to rounding."""
    exact = all(not isinstance(n, float) or (n * 1024).is_integer()
                for n in (window.size, window.step))
    return exact and window.size <= window.step


@_of.register
def _join(kind: WindowJoin, op):
    counts = [keep.count for keep in kind.keep]
    if None in counts:
        return Fact(UNBOUNDED, "an input meets all that the other side has kept", op.span)
    most = max(*counts, int(kind.outer))
    return Fact(Interval(0, most), f"an input meets at most {most} kept items", op.span)


@_of.register
def _fused(kind: Fused, op):
    return kind.known.selectivity


@_of.register
def _model(kind: kinds.Modelled, op):
    return Fact(UNBOUNDED, "nothing is declared", op.span)


def _counted(function: Function, returned=size) -> Fact[Interval]:
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing):
        return Fact(UNBOUNDED, syntax.reason, function.span)
    found = outputs(syntax, returned)
    if found.high is None:
        reason, node = unbounded_at(syntax)
        return Fact(found, reason, syntax.at(node))
    return Fact(found, _reason(found, syntax.is_generator), syntax.span)


def _reason(found: Interval, generator: bool) -> str:
    does = "yields" if generator else "returns a list of"
    if found.low == found.high:
        return f"every path {does} {found.low}"
    return f"no path {does} more than {found.high}"


def _routine_size(node: ast.expr | None) -> Interval:
    """The outputs in `(lists, values)`; fewest on one queue, most on all of them together."""
    match node:
        case ast.Tuple(elts=[ast.List(elts=lists) | ast.Tuple(elts=lists), _]) if lists:
            sizes = [size(part) for part in lists]
            highs = [s.high for s in sizes]
            return Interval(min(s.low for s in sizes), None if None in highs else sum(highs))
        case ast.IfExp(body=body, orelse=orelse):
            return _routine_size(body).either(_routine_size(orelse))
    return UNBOUNDED
