"""Aggregate, Sort and Join: what works on windows.

A tumbling window by count, or by event time, is our own window operator; any other is an operator
that holds the tuples of a window in its state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call
from anabranch.ir.function import Function
from anabranch.ir.operators import Filter, Map
from anabranch.ir.records import record_class
from anabranch.ir.types import FLOAT, INT, RecordOf, Type
from anabranch.ir.windows import AggregateWindow, Keep, Window, WindowJoin
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import (
    ITEM,
    Build,
    Model,
    Work,
    fields_named,
    key_attributes,
    python_name,
    state_class,
    stateful,
)
from anabranch.lang.spl.composites import Input, Instance
from anabranch.lang.spl.expressions import Expressions
from anabranch.lang.spl.operations import Code
from anabranch.lang.spl.scopes import Scope, Substitute
from anabranch.lang.spl.types import (
    BOOLEAN,
    FLOAT64,
    INT32,
    Collection,
    SplType,
    field_name,
    is_float,
    is_integer,
    is_number,
    item_type,
    record_of,
    unbounded,
    wrapped,
)

EVICTIONS = ("count", "delta", "time", "punct")
WINDOW_HELP = "window In: tumbling, count(10);"
TIME_HELP = ("the clock's time gives other results at each run: give the source "
             "@eventTime(eventTimeAttribute=...), or use delta(...)")


@dataclass(frozen=True)
class Bound:
    """How far a window goes: so many tuples, or a distance on an attribute."""

    kind: str
    size: object = None
    attribute: str = ""


@dataclass(frozen=True)
class Windowing:
    """A window clause: when tuples leave and, of a sliding window, when it is looked at."""

    tumbling: bool
    evicts: Bound
    triggers: Bound
    by: tuple[str, ...]
    clause: syntax.WindowClause


def windowing(op: Instance, build: Build, work: Work, port: int = 0, partition: str = "partitionBy"
              ) -> Windowing:
    """The window of a port."""
    given = op.inputs[port]
    clause = next((w for w in op.node.windows if w.port.text == given.name), None)
    if clause is None:
        raise ProgramError(f"{op.operator} wants a window for {given.name}", op.span,
                           help=WINDOW_HELP)
    for part in clause.parts:
        if part.name not in ("tumbling", "sliding", "partitioned", *EVICTIONS):
            raise ProgramError(f"{part.name} is not supported in windows", part.span,
                               expected="tumbling or sliding, count, delta, time or punct, "
                                        "partitioned")
    if not clause.part("tumbling", "sliding"):
        raise ProgramError("a window is tumbling or sliding", clause.span, help=WINDOW_HELP)
    bounds = [_bound(p, op, build, work, given) for p in clause.parts if p.name in EVICTIONS]
    tumbling = clause.part("tumbling") is not None
    if not bounds or len(bounds) > 2 - tumbling:
        raise ProgramError("this window does not say when it ends", clause.span, help=WINDOW_HELP)
    return Windowing(tumbling, bounds[0], bounds[1] if len(bounds) > 1 else Bound("count", 1),
                     _partition(op, clause, given, partition), clause)


def _partition(op: Instance, clause: syntax.WindowClause, given: Input, name: str
               ) -> tuple[str, ...]:
    setting = op.node.setting(name)
    if clause.part("partitioned") is None:
        if setting is not None:
            raise ProgramError(f"{name} is for a window that is partitioned", setting.name.span)
        return ()
    if setting is None:
        raise ProgramError(f"a partitioned window wants the parameter {name}", clause.span)
    values = [work_value(v, op) for v in setting.values]
    found = key_attributes(values, given)
    if found is None:
        raise ProgramError(f"{name} takes attributes of {given.name}", setting.values[0].span,
                           help="compute the key in a Functor before")
    return found


def work_value(node: syntax.Node, op: Instance) -> syntax.Node:
    """What a parameter of a composite stands for."""
    found = op.scope.find(node.text) if isinstance(node, syntax.Name) else None
    return found.node if isinstance(found, Substitute) else node


def _bound(part: syntax.WindowPart, op: Instance, build: Build, work: Work, given: Input) -> Bound:
    wanted = {"count": 1, "delta": 2, "time": 1, "punct": 0}[part.name]
    if len(part.values) != wanted:
        raise ProgramError(f"{part.name} takes {wanted} values", part.span,
                           got=str(len(part.values)))
    found = work.at(op.scope)
    if part.name == "count":
        size = found.constant(part.values[0], INT32)
        if not isinstance(size, int) or size < 0:
            raise ProgramError("a window has a number of tuples", part.span, got=str(size))
        return Bound("count", size)
    if part.name == "punct":
        return Bound("punct")
    if part.name == "time":
        return _event_bound(part, build, found, given)
    named = key_attributes([work_value(part.values[0], op)], given)
    if named is None or not is_number(given.type.attributes[named[0]]):
        raise ProgramError("delta takes an attribute that is a number", part.values[0].span)
    return Bound("delta", found.constant(part.values[1], given.type.attributes[named[0]]), named[0])


def _event_bound(part: syntax.WindowPart, build: Build, found: Expressions, given: Input) -> Bound:
    known = {build.event_times[s] for s in given.streams if s in build.event_times}
    seconds = found.constant(part.values[0], FLOAT64)
    if len(known) != 1:
        raise ProgramError("this window goes by the clock", part.span, help=TIME_HELP)
    [(attribute, units)] = known
    size = seconds * units
    whole = is_integer(given.type.attributes[attribute])
    return Bound("time", int(size) if whole and size == int(size) else size, attribute)


# Aggregate.

SIMPLE = {"Count": aggregates.Count, "CountAll": aggregates.Count, "Sum": aggregates.Sum,
          "Min": aggregates.Min, "Max": aggregates.Max, "First": aggregates.First,
          "Last": aggregates.Last, "Any": aggregates.Any, "Average": aggregates.Mean}
OVER_LISTS = {
    "Count": "len({held})", "CountAll": "len({held})", "Sum": "total({values})",
    "Min": "min({values})", "Max": "max({values})", "First": "{values}[0]",
    "Last": "{values}[-1]", "Any": "{values}[0]", "Average": "mean({values})",
    "Collect": "{values}", "CollectDistinct": "list(set_of({values}))",
    "CountDistinct": "len(set_of({values}))", "PopulationStdDev": "deviation({values}, 0)",
    "SampleStdDev": "deviation({values}, 1)", "ArgMin": "at_extreme({values}, {others}, False)",
    "ArgMax": "at_extreme({values}, {others}, True)",
    "MinCount": "{values}.count(min({values}))", "MaxCount": "{values}.count(max({values}))"}


def aggregate(op: Instance, build: Build) -> None:
    """One tuple for each window, or for each group in it."""
    work = build.work(op)
    window = windowing(op, build, work)
    own = window.tumbling and window.evicts.kind in ("count", "time") and not (
        op.node.setting("groupBy") or op.outputs[0].stream in build.marked
        or build.is_marked(op.inputs[0]))
    if own and _only_simple(op):
        return _as_own_window(op, build, work, window)
    if window.evicts.kind == "time":
        raise ProgramError("this window by time is not supported", window.clause.span,
                           help="use tumbling, time(...) without groupBy, or delta(...)")
    return _over_lists(op, build, work, window)


def _only_simple(op: Instance) -> bool:
    called = {n.function.text for c in op.node.assignments for f in c.fields
              for n in syntax.walk(f) if isinstance(n, syntax.Invoke)}
    return not called & (OVER_LISTS.keys() - SIMPLE.keys())


def _as_own_window(op: Instance, build: Build, work: Work, window: Windowing) -> None:
    given, calls = op.inputs[0], {}
    types: dict[str, Type] = {field_name(n): item_type(given.type.attributes[n])
                              for n in window.by}
    inner = build.work(op)

    def fold(name: str) -> Callable:
        def called(node: syntax.Invoke, found: Expressions, wanted: SplType | None
                   ) -> Code:
            code = _argument(node, inner.at(inner.scope((given, ITEM))))
            key = key_attributes(node.arguments, given) if node.arguments else None
            if key and key[0] in window.by and name in ("Any", "First", "Last"):
                return Code(code.type, f"w.{field_name(key[0])}")
            kind = result_type(name, code, node)
            field = f"a{len(calls)}"
            value = (field_name(key[0]) if key else None if not node.arguments else
                     _value_function(op, build, node, given))
            calls[field] = Call(SIMPLE[name], value)
            types[field] = (INT if name.startswith("Count") else FLOAT if name == "Average"
                            else item_type(code.type))
            text = f"w.{field}"
            return Code(kind, wrapped(text, kind) if name == "Sum" else text)
        return called
    work.calls |= {name: fold(name) for name in SIMPLE}
    text = work.output(0, work.at(_of_last(op)))
    function = work.simple(text, op.outputs[0].span, "w")
    into = record_class("Window", types)
    size = window.evicts.size
    if not size:
        raise ProgramError("a tumbling window holds something", window.clause.span, got="0")
    on = field_name(window.evicts.attribute) if window.evicts.kind == "time" else None
    kind = AggregateWindow(Window(size, size, on, _incomplete(op, work) or on is not None),
                           fields_named(window.by), tuple(calls.items()), into,
                           fields_named(window.by))
    queue = build.add(f"{op.name}.window", kind, [build.queue(op)], RecordOf(into), op.span)
    build.give(op, Map(function), [queue])


def _of_last(op: Instance) -> Scope:
    """An attribute without an aggregate is that of the last tuple."""
    given = op.inputs[0]
    return op.scope.inside({name: Substitute(syntax.Invoke(
        given.span, syntax.Word(given.span, "Last"), (syntax.Name(given.span, name),)), None)
        for name in given.type.attributes})


def _incomplete(op: Instance, work: Work) -> bool:
    return bool(work.constant("aggregateIncompleteWindows", BOOLEAN, False))


def _argument(node: syntax.Invoke, found: Expressions) -> Code:
    if not node.arguments:
        return Code(INT32, "1")
    return found.value(node.arguments[0])


def _value_function(op: Instance, build: Build, node: syntax.Invoke, given: Input) -> Function:
    work = build.work(op)
    text = work.at(work.scope((given, ITEM))).value(node.arguments[0]).text
    return work.simple(text, node.span)


def result_type(name: str, code: Code, node: syntax.Invoke) -> SplType:
    """The type of an aggregate of values of a type."""
    if name.startswith("Count") or name in ("MinCount", "MaxCount"):
        return INT32
    if not node.arguments:
        raise ProgramError(f"{name} takes a value", node.span, help=f"{name}(price)")
    if name in ("Sum", "Average", "PopulationStdDev", "SampleStdDev") and not is_number(code.type):
        raise ProgramError(f"{name} is for numbers", node.arguments[0].span, got=str(code.type))
    if name in ("Average", "PopulationStdDev", "SampleStdDev"):
        return unbounded(code.type) if is_float(code.type) else FLOAT64
    if name.startswith("Collect"):
        return Collection("list", (unbounded(code.type),))
    return unbounded(code.type)


def _over_lists(op: Instance, build: Build, work: Work, window: Windowing) -> None:
    """The window as a list in the state of an operator."""
    given, lines = op.inputs[0], work.lines
    name = python_name(op.name)

    def over(function: str) -> Callable:
        def called(node: syntax.Invoke, found: Expressions, wanted: SplType | None
                   ) -> Code:
            inner = work.at(work.scope((given, ITEM)))
            code, values = _argument(node, inner), "held"
            others = ""
            if node.arguments:
                values = f"[{code.text} for {ITEM} in held]"
            kind = result_type(function, code, node)
            if len(node.arguments) > 1:
                other = inner.value(node.arguments[1])
                others, kind = f"[{other.text} for {ITEM} in held]", unbounded(other.type)
            text = OVER_LISTS[function].format(held="held", values=values, others=others)
            return Code(kind, wrapped(text, kind) if function == "Sum" else text)
        return called
    work.calls |= {function: over(function) for function in OVER_LISTS}
    text = work.output(0, work.at(_of_last(op)))
    groups = op.node.setting("groupBy")
    marked = op.outputs[0].stream in build.marked

    def look() -> None:
        if groups is None:
            lines.add("held = s.held")
            lines.add(f"yield {text}", op.span)
        else:
            keys = [work.at(work.scope((given, ITEM))).value(v).text for v in groups.values]
            with lines.inside(f"for held in grouped(s.held, lambda {ITEM}: ({', '.join(keys)},)):"):
                lines.add(f"yield {text}", op.span)
        if marked:
            lines.add("yield None")
    end = None
    if window.tumbling and (window.evicts.kind == "punct" or _incomplete(op, work)):
        with lines.inside(f"def end_of_{name}(s):", op.span), lines.inside("if s.held:"):
            look()
        end = work.function(f"end_of_{name}")
    _write_window(work, window, name, op, look, build.is_marked(given))
    kind = stateful(_held(given, window), fields_named(window.by), end)
    return build.give(op, kind(work.function(name)), [build.queue(op)])


def _held(given: Input, window: Windowing) -> type:
    fields: dict[str, tuple[object, object]] = {"held": (list[record_of(given.type)], [])}
    if not window.tumbling:
        fields["since"] = (int, 0)
    if window.triggers.kind == "delta":
        fields |= {"looked": (float, 0), "begun": (bool, False)}
    return state_class(fields)


def _write_window(work: Work, window: Windowing, name: str, op: Instance, look: Callable[[], None],
                  marked: bool) -> None:
    """The function that takes a tuple into the window, and looks at it in time."""
    lines, evicts = work.lines, window.evicts
    with lines.inside(f"def {name}(s, {ITEM}):", op.span):
        if marked:
            with lines.inside(f"if {ITEM} is None:"):
                if evicts.kind == "punct":
                    with lines.inside("if s.held:"):
                        look()
                        lines.add("s.held = []")
                lines.add("return")
        elif evicts.kind == "punct" and not window.tumbling:
            raise ProgramError("a sliding window by punct is not supported", window.clause.span)
        at = f"{ITEM}.{field_name(evicts.attribute)}" if evicts.attribute else ""
        first = f"s.held[0].{field_name(evicts.attribute)}" if evicts.attribute else ""
        if window.tumbling:
            if evicts.kind == "delta":
                with lines.inside(f"if s.held and {at} - {first} > {evicts.size!r}:", op.span):
                    look()
                    lines.add("s.held = []")
            lines.add(f"s.held.append({ITEM})")
            if evicts.kind == "count":
                with lines.inside(f"if len(s.held) == {evicts.size!r}:"):
                    look()
                    lines.add("s.held = []")
        else:
            _slide(lines, window, at, first, look)


def _slide(lines, window: Windowing, at: str, first: str, look: Callable[[], None]) -> None:
    evicts, triggers = window.evicts, window.triggers
    lines.add(f"s.held.append({ITEM})")
    if evicts.kind == "count":
        with lines.inside(f"if len(s.held) > {evicts.size!r}:"):
            lines.add("s.held.pop(0)")
    else:
        with lines.inside(f"while {at} - {first} > {evicts.size!r}:"):
            lines.add("s.held.pop(0)")
    if triggers.kind == "count":
        lines.add("s.since += 1")
        with lines.inside(f"if s.since >= {triggers.size!r}:"):
            lines.add("s.since = 0")
            look()
        return
    moved = f"{ITEM}.{field_name(triggers.attribute)}"
    with lines.inside("if not s.begun:"):
        lines.add("s.begun = True")
        lines.add(f"s.looked = {moved}")
    with lines.inside(f"if {moved} - s.looked > {triggers.size!r}:"):
        lines.add(f"s.looked = {moved}")
        look()


# Sort.

def sort(op: Instance, build: Build) -> None:
    """The tuples of a window in order; what is left at the end comes then."""
    work, given = build.work(op), op.inputs[0]
    window, name, lines = windowing(op, build, work), python_name(op.name), work.lines
    if window.evicts.kind == "time" or (not window.tumbling and window.evicts.kind != "count"):
        raise ProgramError("Sort takes a tumbling window, or a sliding one by count",
                           window.clause.span)
    found = work.at(work.scope((given, ITEM)))
    keys = [found.value(v).text for v in op.node.setting("sortBy").values]
    setting = op.node.setting("order")
    orders = [getattr(v, "text", "") for v in setting.values] if setting else ["ascending"]
    if set(orders) - {"ascending", "descending"} or len(orders) not in (1, len(keys)):
        raise ProgramError("an order is ascending or descending", setting.span)
    orders = orders * len(keys) if len(orders) == 1 else orders
    text = "s.held"
    for key, order in list(zip(keys, orders, strict=True))[::-1]:
        reverse = ", reverse=True" if order == "descending" else ""
        text = f"sorted({text}, key=lambda {ITEM}: {key}{reverse})"
    marked = op.outputs[0].stream in build.marked
    passes = work.passes()

    def look() -> None:
        with lines.inside(f"for {ITEM} in {text}:", op.span):
            lines.add(f"yield {passes}")
        if marked:
            lines.add("yield None")
    with lines.inside(f"def end_of_{name}(s):", op.span):
        look()
    end = work.function(f"end_of_{name}")
    if window.tumbling:
        _write_window(work, window, name, op, _apart(lines, look), build.is_marked(given))
    else:
        with lines.inside(f"def {name}(s, {ITEM}):", op.span):
            lines.add(f"s.held.append({ITEM})")
            with lines.inside(f"if len(s.held) > {window.evicts.size!r}:"):
                lines.add(f"s.held = {text}")
                lines.add("yield s.held.pop(0)")
    kind = stateful(_held(given, window), fields_named(window.by), end)
    build.give(op, kind(work.function(name)), [build.queue(op)])


def _apart(lines, look: Callable[[], None]) -> Callable[[], None]:
    """The same; the tuple that came keeps its name."""
    def looked() -> None:
        lines.add(f"came = {ITEM}")
        look()
        lines.add(f"{ITEM} = came")
    return looked


# Join.

def join(op: Instance, build: Build) -> None:
    """Each tuple with those that the other side holds, where they match."""
    work = build.work(op)
    work_left = windowing(op, build, work, 0, "partitionByLHS")
    work_right = windowing(op, build, work, 1, "partitionByRHS")
    work.word("algorithm", ("inner",), "inner")
    if work_left.tumbling or work_right.tumbling:
        raise ProgramError("a Join takes sliding windows", op.span)
    if len(work_left.by) != len(work_right.by):
        raise ProgramError("both sides of a Join are partitioned by as many attributes", op.span)
    left, right = op.inputs
    scope = work.scope((left, "t.left"), (right, "t.right"))
    pair = record_class("Pair", {"left": RecordOf(record_of(left.type)),
                                 "right": RecordOf(record_of(right.type))})
    keeps = tuple(_keep(w) for w in (work_left, work_right))
    made = Function.from_source("lambda left, right: Pair(left, right)", {"Pair": pair}, op.span)
    kind = WindowJoin(fields_named(work_left.by), fields_named(work_right.by), keeps, made)
    queue = build.add(f"{op.name}.pairs", kind, [build.queue(op, 0), build.queue(op, 1)],
                      RecordOf(pair), op.span)
    condition = _matching(op, work, scope)
    if condition is not None:
        queue = build.add(f"{op.name}.match", Filter(work.simple(condition, op.span)), [queue],
                          RecordOf(pair), op.span)
    last = build.work(op)
    text = last.output(0, last.at(last.scope((left, "t.left"), (right, "t.right"))), op.inputs)
    build.give(op, Map(last.simple(text, op.outputs[0].span)), [queue])


def _keep(window: Windowing) -> Keep:
    if window.evicts.kind == "count":
        return Keep(count=window.evicts.size)
    raise ProgramError(f"a Join with a window by {window.evicts.kind} is not supported",
                       window.clause.span, help="use sliding, count(...)")


def _matching(op: Instance, work: Work, scope: Scope) -> str | None:
    """The condition under which a pair leaves."""
    found, parts = work.at(scope), []
    one, other = op.node.setting("equalityLHS"), op.node.setting("equalityRHS")
    if (one is None) != (other is None) or (one and len(one.values) != len(other.values)):
        raise ProgramError("equalityLHS and equalityRHS come together", op.span)
    if one is not None:
        _check_side(one, op.inputs[0], work)
        _check_side(other, op.inputs[1], work)
        for a, b in zip(one.values, other.values, strict=True):
            left = _sided(a, op.inputs[0])
            right = _sided(b, op.inputs[1])
            parts.append(found.condition(syntax.Binary(a.span, "==", left, right)))
    if (match := op.node.setting("match")) is not None:
        parts.append(found.condition(match.values[0]))
    return " and ".join(parts) or None


def _check_side(setting: syntax.Setting, port: Input, work: Work) -> None:
    for value in setting.values:
        work.at(work.scope((port, ITEM))).value(value)


def _sided(node: syntax.Node, port: Input) -> syntax.Node:
    """An attribute of one side, by the name of its port."""
    if isinstance(node, syntax.Name) and node.text in port.type.attributes:
        return syntax.Attribute(node.span, syntax.Name(node.span, port.name),
                                syntax.Word(node.span, node.text))
    return node


MODELS = (
    Model("Aggregate", (1, 1), (1, 1), ("partitionBy", "groupBy", "aggregateIncompleteWindows"),
          "one window for each value of partitionBy", "at most one; one for each group", aggregate,
          windows=True, assigns=True, makes_marks=True),
    Model("Sort", (1, 1), (1, 1), ("sortBy", "order", "partitionBy"),
          "one window for each value of partitionBy", "any number", sort, required=("sortBy",),
          windows=True, makes_marks=True),
    Model("Join", (2, 2), (1, 1), ("match", "equalityLHS", "equalityRHS", "algorithm",
          "partitionByLHS", "partitionByRHS"), "both windows, for each value of partitionByLHS",
          "any number", join, windows=True, assigns=True),
)
