"""Aggregate and Sort, and the windows of these and of Join.

A tumbling window by count, or by event time, is our own window operator; any other is an operator
that holds the tuples of a window in its state.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call
from anabranch.ir.function import Function
from anabranch.ir.operators import Map
from anabranch.ir.records import record_class, state_class
from anabranch.ir.types import FLOAT, INT, RecordOf, Type
from anabranch.ir.windows import AggregateWindow, Window
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import (
    ITEM,
    Build,
    Model,
    Work,
    fields_named,
    key_attributes,
    python_name,
    stateful,
)
from anabranch.lang.spl.coding.bodies import NO_PORTS
from anabranch.lang.spl.coding.expressions import Expressions
from anabranch.lang.spl.coding.operations import Code
from anabranch.lang.spl.coding.scopes import Scope, Substitute
from anabranch.lang.spl.composites import Input, Instance
from anabranch.lang.spl.types import (
    BOOLEAN,
    FLOAT64,
    INT32,
    Collection,
    SplType,
    field_name,
    is_integer,
    is_list,
    is_number,
    is_string,
    item_type,
    record_of,
    unbounded,
    wrapped,
)

EVICTIONS = ("count", "delta", "time", "punct")
WINDOW_HELP = "window In: tumbling, count(10);"
TIME_HELP = "give the source @eventTime(eventTimeAttribute=...), or use tumbling, time(...)"
CLOCKS = ("time", "clock")


@dataclass(frozen=True)
class Bound:
    """How far a window goes: so many tuples, a distance on an attribute, or by the clock: seconds
    between the moments at which tuples come."""

    kind: str
    size: object = None
    attribute: str = ""


@dataclass(frozen=True)
class Windowing:
    """A window clause: when tuples leave and, of a sliding window, when it is looked at; of one by
    timeInterval, after how long the next one begins."""

    tumbling: bool
    evicts: Bound
    triggers: Bound
    by: tuple[str, ...]
    clause: syntax.WindowClause
    step: object = None


def windowing(op: Instance, build: Build, work: Work, port: int = 0, partition: str = "partitionBy"
              ) -> Windowing:
    """The window of a port."""
    given = op.inputs[port]
    clause = next((w for w in op.node.windows if w.port.text == given.name), None)
    if clause is None:
        raise ProgramError(f"{op.operator} wants a window for {given.name}", op.span,
                           help=WINDOW_HELP)
    if clause.part("timeInterval") is not None:
        return _interval(op, build, work, given, clause, partition)
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


def _interval(op: Instance, build: Build, work: Work, given: Input, clause: syntax.WindowClause,
              partition: str) -> Windowing:
    """A window of event time: so long, and begun so often."""
    length, step = clause.part("intervalDuration"), clause.part("creationPeriod")
    for part in clause.parts:
        if part.name not in ("timeInterval", "intervalDuration", "creationPeriod", "partitioned"):
            raise ProgramError(f"{part.name} is not supported in windows", part.span,
                               expected="timeInterval, intervalDuration, creationPeriod, "
                                        "partitioned")
    if length is None or len(length.values) != 1 or (step and len(step.values) != 1):
        raise ProgramError("this window does not say how long it is", clause.span,
                           help="window In: timeInterval, intervalDuration(60.0);")
    found = work.at(op.scope)
    bound = _event_bound(length, build, found, given)
    if bound.kind == "clock":
        raise ProgramError("this window has no event time", length.span, help=TIME_HELP)
    period = bound if step is None else _event_bound(step, build, found, given)
    return Windowing(True, Bound("interval", bound.size, bound.attribute), Bound("count", 1),
                     _partition(op, clause, given, partition), clause, period.size)


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
        return Bound("clock", float(seconds))
    [(attribute, units)] = known
    size = seconds * units
    whole = is_integer(given.type.attributes[attribute])
    return Bound("time", int(size) if whole and size == int(size) else size, attribute)


# Aggregate.

SIMPLE = {"Count": aggregates.Count, "CountAll": aggregates.Count, "Sum": aggregates.Sum,
          "Min": aggregates.Min, "Max": aggregates.Max, "First": aggregates.First,
          "Last": aggregates.Last, "Any": aggregates.Any, "Average": aggregates.Mean}
OVER_LISTS = {
    "Count": "len({held})", "CountAll": "len(s.held)", "Sum": "total({values})",
    "CountGroups": "len(groups)", "CountByGroup": "[len(g) for g in groups]",
    "CountByDistinct": "counts({values})",
    "CollectArgMin": "all_at_extreme({values}, {others}, False)",
    "CollectArgMax": "all_at_extreme({values}, {others}, True)",
    "Min": "min({values})", "Max": "max({values})", "First": "{values}[0]",
    "Last": "{values}[-1]", "Any": "{values}[0]", "Average": "mean({values})",
    "Collect": "{values}", "CollectDistinct": "list(set_of({values}))",
    "CountDistinct": "len(set_of({values}))", "PopulationStdDev": "deviation({values}, 0)",
    "SampleStdDev": "deviation({values}, 1)", "ArgMin": "at_extreme({values}, {others}, False)",
    "ArgMax": "at_extreme({values}, {others}, True)",
    "MinCount": "{values}.count(min({values}))", "MaxCount": "{values}.count(max({values}))"}
CUSTOM = "Custom"
BY_COLUMNS = {"Sum": "columns({values}, total)", "Average": "columns({values}, mean)",
              "Min": "columns({values}, min)", "Max": "columns({values}, max)"}
"""Those of lists, which go through them side by side."""


def aggregate(op: Instance, build: Build) -> None:
    """One tuple for each window, or for each group in it."""
    work = build.work(op)
    window = windowing(op, build, work)
    own = window.tumbling and window.evicts.kind in ("count", "time", "interval") and not (
        op.node.setting("groupBy") or op.outputs[0].stream in build.marked
        or build.is_marked(op.inputs[0]))
    if own and _only_simple(op):
        return _as_own_window(op, build, work, window)
    if window.evicts.kind == "interval":
        raise ProgramError("this window by timeInterval is not supported", window.clause.span,
                           help="leave groupBy out, or use tumbling, time(...)")
    return _over_lists(op, build, work, window)


def _only_simple(op: Instance) -> bool:
    called = {n.function.text for c in op.node.assignments for f in c.fields
              for n in syntax.walk(f) if isinstance(n, syntax.Invoke)}
    texts = {n.function.text for c in op.node.assignments for f in c.fields
             for n in syntax.walk(f) if isinstance(n, syntax.Invoke) and n.function.text in (
                 "Sum", *BY_COLUMNS) and not _of_numbers(n, op)}
    return not texts and not called & ({CUSTOM, *OVER_LISTS} - SIMPLE.keys())


def _of_numbers(node: syntax.Invoke, op: Instance) -> bool:
    """Whether an aggregate is of plain attributes that are numbers, as our own windows have it."""
    named = [n for a in node.arguments for n in syntax.walk(a) if isinstance(n, syntax.Name)]
    kinds = [op.inputs[0].type.attributes.get(n.text) for n in named]
    return not any(isinstance(k, Collection) or (k is not None and is_string(k) and
                                                 node.function.text == "Sum") for k in kinds)


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
            kind = result_type(name, code, node, wanted)
            field = f"a{len(calls)}"
            value = (field_name(key[0]) if key else None if not node.arguments else
                     _value_function(op, build, node, given))
            calls[field] = Call(SIMPLE[name], value)
            types[field] = (INT if name.startswith("Count") else FLOAT if name == "Average"
                            else item_type(code.type))
            return Code(kind, _in_type(name, f"w.{field}", kind))
        return called
    work.calls |= {name: fold(name) for name in SIMPLE}
    text = work.output(0, work.at(_of_last(op)))
    function = work.simple(text, op.outputs[0].span, "w")
    into = record_class("Window", types)
    size = window.evicts.size
    if not size:
        raise ProgramError("a tumbling window holds something", window.clause.span, got="0")
    on = field_name(window.evicts.attribute) if window.evicts.attribute else None
    whole = on is None and not _incomplete(op, work)
    kind = AggregateWindow(Window(size, window.step or size, on, not whole),
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


def result_type(name: str, code: Code, node: syntax.Invoke, wanted: SplType | None) -> SplType:
    """The type of an aggregate of values of a type."""
    if name == "CountByGroup" or name == "CountByDistinct":
        return Collection("list", (INT32,))
    if name.startswith("Count") or name in ("MinCount", "MaxCount"):
        return INT32
    if not node.arguments:
        raise ProgramError(f"{name} takes a value", node.span, help=f"{name}(price)")
    kind = unbounded(code.type)
    item = kind.item if is_list(kind) and name in BY_COLUMNS else kind
    if name in NUMERIC and not is_number(item) and not (name == "Sum" and is_string(item)):
        raise ProgramError(f"{name} is for numbers", node.arguments[0].span, got=str(code.type))
    if name in NUMERIC and name != "Sum" and wanted == FLOAT64 and is_number(kind):
        return FLOAT64
    if name in ("Collect", "CollectDistinct"):
        return Collection("list", (kind,))
    return kind


NUMERIC = ("Sum", "Average", "PopulationStdDev", "SampleStdDev")


def _in_type(name: str, text: str, kind: SplType) -> str:
    """A result in the range of its type: the mean of integers is one."""
    if name not in NUMERIC or is_list(kind):
        return text
    if is_string(kind):
        return text.replace("total(", "''.join(", 1)
    return wrapped(f"int({text})" if is_integer(kind) and name != "Sum" else text, kind)


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
            kind = result_type(function, code, node, wanted)
            if len(node.arguments) > 1:
                other = inner.value(node.arguments[1])
                others, kind = f"[{other.text} for {ITEM} in held]", unbounded(other.type)
                kind = Collection("list", (kind,)) if function.startswith("Collect") else kind
            forms = BY_COLUMNS if is_list(kind) and function in BY_COLUMNS else OVER_LISTS
            text = forms[function].format(held="held", values=values, others=others)
            return Code(kind, _in_type(function, text, kind))
        return called
    work.calls |= {function: over(function) for function in OVER_LISTS}
    work.calls[CUSTOM] = _custom(op, work, name)
    text = work.output(0, work.at(_of_last(op)))
    groups = op.node.setting("groupBy")
    marked = op.outputs[0].stream in build.marked

    def look() -> None:
        if groups is None:
            lines.add("held = s.held")
            if "groups" in text:
                lines.add("groups = [held]")
            lines.add(f"yield {text}", op.span)
        else:
            keys = [work.at(work.scope((given, ITEM))).value(v).text for v in groups.values]
            lines.add(f"groups = grouped(s.held, lambda {ITEM}: ({', '.join(keys)},))")
            with lines.inside("for held in groups:"):
                lines.add(f"yield {text}", op.span)
        if marked:
            lines.add("yield None")
    end = None
    at_end = window.evicts.kind == "punct" and build.ends_marked(given)
    if window.tumbling and (at_end or window.evicts.kind in CLOCKS or _incomplete(op, work)):
        with lines.inside(f"def end_of_{name}(s):", op.span), lines.inside("if s.held:"):
            look()
        end = work.function(f"end_of_{name}")
    _write_window(work, window, name, op, look, build.is_marked(given), _incomplete(op, work))
    kind = stateful(_held(given, window), fields_named(window.by), end)
    return build.give(op, kind(work.function(name)), [build.queue(op)])


def _custom(op: Instance, work: Work, name: str) -> Callable:
    """`Custom(init, process, result)`: what the first says, the second for each tuple of a window,
    and the value of the third; with the variables of the operator's logic."""
    state, count = op.node.handler("state"), itertools.count(1)
    variables = [n for n in syntax.walk(state) if isinstance(n, syntax.Variable)] if state else []

    def called(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        if len(node.arguments) != 3:
            raise ProgramError("Custom takes three expressions", node.span,
                               expected="Custom(init(c), process(value, c), result(c))")
        init, process, result = node.arguments
        lines, body, scope = work.lines, work.body(NO_PORTS), work.scope((op.inputs[0], ITEM))
        function = f"{name}custom_{next(count)}"
        with lines.inside(f"def {function}(held):", node.span):
            for variable in variables:
                body.write(variable, scope)
            body.write(syntax.Evaluate(init.span, init), scope)
            with lines.inside(f"for {ITEM} in held:"):
                body.write(syntax.Evaluate(process.span, process), scope)
            code = body.at(scope).value(result, wanted)
            lines.add(f"return {code.text}", result.span)
        return Code(code.type, f"{function}(held)")
    return called


def _held(given: Input, window: Windowing) -> type:
    fields: dict[str, tuple[object, object]] = {"held": (list[record_of(given.type)], [])}
    if not window.tumbling:
        fields |= {"since": (int, 0), "full": (bool, False)}
    if window.evicts.kind == "clock":
        fields |= {"began": (float, 0.0)} if window.tumbling else {"times": (list[float], [])}
    if window.triggers.kind in ("delta", *CLOCKS):
        fields |= {"looked": (float, 0), "begun": (bool, False)}
    return state_class(fields)


def _write_window(work: Work, window: Windowing, name: str, op: Instance, look: Callable[[], None],
                  marked: bool, incomplete: bool = False) -> None:
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
        if "clock" in (evicts.kind, window.triggers.kind):
            lines.add("now = clock()", window.clause.span)
        at = f"{ITEM}.{field_name(evicts.attribute)}" if evicts.attribute else ""
        first = f"s.held[0].{field_name(evicts.attribute)}" if evicts.attribute else ""
        if window.tumbling:
            if evicts.kind == "delta":
                with lines.inside(f"if s.held and {at} - {first} > {evicts.size!r}:", op.span):
                    look()
                    lines.add("s.held = []")
            if evicts.kind == "time":
                size = repr(evicts.size)
                with lines.inside(f"if s.held and {at} // {size} > {first} // {size}:", op.span):
                    look()
                    lines.add("s.held = []")
            if evicts.kind == "clock":
                with lines.inside(f"if s.held and now - s.began >= {evicts.size!r}:", op.span):
                    look()
                    lines.add("s.held = []")
                with lines.inside("if not s.held:"):
                    lines.add("s.began = now")
            lines.add(f"s.held.append({ITEM})")
            if evicts.kind == "punct":
                lines.add("yield from ()")
            if evicts.kind == "count":
                with lines.inside(f"if len(s.held) == {evicts.size!r}:"):
                    look()
                    lines.add("s.held = []")
        else:
            _slide(lines, window, at, first, look, incomplete)


def _slide(lines, window: Windowing, at: str, first: str, look: Callable[[], None],
           incomplete: bool) -> None:
    """A sliding window is looked at from the moment on at which it is full: when it holds so many
    tuples, or the first one has left."""
    evicts, triggers = window.evicts, window.triggers
    lines.add(f"s.held.append({ITEM})")
    if evicts.kind == "clock":
        lines.add("s.times.append(now)")
        at, first = "now", "s.times[0]"
    loop = "if" if evicts.kind == "count" else "while"
    over = f"len(s.held) > {evicts.size!r}" if evicts.kind == "count" else (
        f"{at} - {first} > {evicts.size!r}")
    with lines.inside(f"{loop} {over}:"):
        lines.add("s.held.pop(0)")
        if evicts.kind == "clock":
            lines.add("s.times.pop(0)")
        lines.add("s.full = True")
    if evicts.kind == "count":
        with lines.inside(f"if len(s.held) == {evicts.size!r}:"):
            lines.add("s.full = True")
    # A window whose trigger is a time is full from its beginning.
    full = "" if incomplete or triggers.kind in CLOCKS else " and s.full"
    if triggers.kind == "count":
        lines.add("s.since += 1")
        with lines.inside(f"if s.since >= {triggers.size!r}:"):
            lines.add("s.since = 0")
            _look_if(lines, full, look)
        return
    moved = f"{ITEM}.{field_name(triggers.attribute)}" if triggers.attribute else "now"
    with lines.inside("if not s.begun:"):
        lines.add("s.begun = True")
        lines.add(f"s.looked = {moved}")
    with lines.inside(f"if {moved} - s.looked > {triggers.size!r}:"):
        lines.add(f"s.looked = {moved}")
        _look_if(lines, full, look)


def _look_if(lines, full: str, look: Callable[[], None]) -> None:
    if not full:
        return look()
    with lines.inside(f"if {full.removeprefix(' and ')}:"):
        look()
    return None


# Sort.

def sort(op: Instance, build: Build) -> None:
    """The tuples of a window in order; what is left at the end comes then."""
    work, given = build.work(op), op.inputs[0]
    window, name, lines = windowing(op, build, work), python_name(op.name), work.lines
    if window.evicts.kind == "interval" or (not window.tumbling and window.evicts.kind != "count"):
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
    end, evicts = None, window.evicts.kind
    # A tumbling window is closed by what closes it, not by the end.
    if not window.tumbling or evicts in CLOCKS or (evicts == "punct" and build.ends_marked(given)):
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


MODELS = (
    Model("Aggregate", (1, 1), (1, 1), ("partitionBy", "groupBy", "aggregateIncompleteWindows"),
          "one window for each value of partitionBy", "at most one; one for each group", aggregate,
          windows=True, assigns=True, makes_marks=True),
    Model("Sort", (1, 1), (1, 1), ("sortBy", "order", "partitionBy"),
          "one window for each value of partitionBy", "any number", sort, required=("sortBy",),
          windows=True, makes_marks=True),
)
