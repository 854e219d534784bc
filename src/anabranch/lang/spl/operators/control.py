"""DeDuplicate, Barrier, Pair, Switch, Gate and others of the utility toolkit.

Those with a port for control have one state, which both ports see in the order of arrival.
"""

from __future__ import annotations

from anabranch.core.errors import ProgramError, RunError
from anabranch.io.values.scalars import BadValue
from anabranch.ir.function import Function
from anabranch.ir.operators import Barrier, FlatMap, Map
from anabranch.ir.records import record_class
from anabranch.ir.types import RecordOf
from anabranch.lang.spl import syntax
from anabranch.lang.spl.bodies import Ports
from anabranch.lang.spl.building import (
    ITEM,
    Build,
    Model,
    Work,
    fields_named,
    key_attributes,
    outputs_of,
    python_name,
    state_class,
    state_field,
    stateful,
)
from anabranch.lang.spl.composites import Instance
from anabranch.lang.spl.expressions import Expressions
from anabranch.lang.spl.formats import FORMATS, Layout
from anabranch.lang.spl.operations import Code
from anabranch.lang.spl.operators.windows import work_value
from anabranch.lang.spl.types import (
    BLOB,
    BOOLEAN,
    FLOAT64,
    INT32,
    RSTRING,
    Collection,
    SplType,
    TupleOf,
    is_string,
    item_type,
    record_of,
)


def deduplicate(op: Instance, build: Build) -> None:
    """The first tuple of each key; with count, the first among so many."""
    work, given, name = build.work(op), op.inputs[0], python_name(op.name)
    setting, count = op.node.setting("key"), work.constant("count", INT32)
    values = [work_value(v, op) for v in setting.values] if setting else [
        syntax.Name(op.span, n) for n in given.type.attributes]
    key, lines = key_attributes(values, given), work.lines
    passes = work.passes()
    if count is None and key is not None:
        head = lines.inside(f"def {name}(s, {ITEM}):", op.span)
        with head, lines.inside("if not s.before:"):
            lines.add("s.before = True")
            lines.add(f"yield {passes}", op.span)
        kind = stateful(state_class({"before": (bool, False)}), fields_named(key))
        return build.give(op, kind(work.function(name)), [build.queue(op)])
    found = work.at(work.scope((given, ITEM)))
    texts = ", ".join(found.value(v).text for v in values)
    with lines.inside(f"def {name}(s, {ITEM}):", op.span):
        lines.add(f"key = ({texts},)", op.span)
        lines.add("s.number += 1")
        known = "key not in s.seen" + ("" if count is None else
                                       f" or s.number - s.seen[key] > {count!r}")
        with lines.inside(f"if {known}:"):
            lines.add("s.seen[key] = s.number")
            lines.add(f"yield {passes}")
    kind = stateful(state_class({"number": (int, 0), "seen": (dict, {})}))
    return build.give(op, kind(work.function(name)), [build.queue(op)])


def barrier(op: Instance, build: Build) -> None:
    """One tuple of each port, put together into one."""
    work = build.work(op)
    names = [f"t{n}" for n in range(len(op.inputs))]
    found = work.at(work.scope(*zip(op.inputs, names, strict=True)))
    text = work.output(0, found, op.inputs)
    function = work.simple(text, op.span, ", ".join(names))
    build.give(op, Barrier(len(names), function), [build.queue(op, n) for n in range(len(names))])


def pair(op: Instance, build: Build) -> None:
    """One tuple of each port, one behind the other, in the order of the ports."""
    for port in op.inputs:
        if port.type != op.outputs[0].type:
            raise ProgramError("Pair takes and gives tuples of one type", port.span,
                               expected=str(op.outputs[0].type), got=str(port.type))
    item = RecordOf(record_of(op.outputs[0].type))
    made = record_class("Together", {f"p{n}": item for n in range(len(op.inputs))})
    names = ", ".join(f"t{n}" for n in range(len(op.inputs)))
    together = Function.from_source(f"lambda {names}: Together({names})", {"Together": made},
                                    op.span)
    parts = ", ".join(f"t.p{n}" for n in range(len(op.inputs)))
    apart = Function.from_source(f"lambda t: [{parts}]", {}, op.span)
    queues = [build.queue(op, n) for n in range(len(op.inputs))]
    both = build.add("pair", Barrier(len(queues), together), queues, RecordOf(made), op.span)
    build.give(op, FlatMap(apart), [both])


def throttle(op: Instance, build: Build) -> None:
    """The tuples, no more than so many in a second."""
    work, name = build.work(op), python_name(op.name)
    rate = work.constant("rate", FLOAT64)
    if not rate > 0:
        raise ProgramError("a rate is above zero", op.node.setting("rate").span, got=str(rate))
    passes = work.passes()
    with work.lines.inside(f"def {name}(s, {ITEM}):", op.span):
        work.lines.add(f"s.count += paced({1 / rate!r})", op.span)
        work.lines.add(f"yield {passes}", op.span)
    kind = stateful(state_class({"count": (int, 0)}))
    build.give(op, kind(work.function(name)), [build.queue(op)])


def _controlled(op: Instance, build: Build, work: Work, fields: dict, write) -> None:
    """An operator with ports for control: `write` gives the body for each port."""
    name = python_name(op.name)
    queue, _ = build.merged(op)
    ports = Ports.of([o.name for o in op.outputs], [o.type for o in op.outputs],
                     [item_type(o.type) for o in op.outputs])
    work.extra = {"Given": ports.made} if ports.made else {}
    with work.lines.inside(f"def {name}(s, {ITEM}):", op.span):
        for n in range(len(op.inputs)):
            with work.lines.inside(f"{'if' if n == 0 else 'elif'} {ITEM}.port == {n}:"):
                write(n, f"{ITEM}.p{n}", ports)
    kind = stateful(state_class(fields))
    outputs_of(op, build, kind, work, work.function(name), queue, ports, False)


def switch(op: Instance, build: Build) -> None:
    """The tuples while it is open; those that come while it is closed wait."""
    work, kind = build.work(op), record_of(op.inputs[0].type)
    opened = bool(work.constant("initialStatus", BOOLEAN, True))

    def write(port: int, text: str, ports: Ports) -> None:
        lines = work.lines
        if port == 0:
            with lines.inside("if s.is_open:"):
                lines.add(f"yield {text}", op.span)
            with lines.inside("else:"):
                lines.add(f"s.held.append({text})")
            return
        found = work.at(work.scope((op.inputs[1], text)))
        status = found.condition(op.node.setting("status").values[0])
        lines.add(f"s.is_open = {status}", op.span)
        with lines.inside("if s.is_open:"):
            lines.add("yield from s.held")
            lines.add("s.held = []")
    _controlled(op, build, work, {"is_open": (bool, opened), "held": (list[kind], [])}, write)


def gate(op: Instance, build: Build) -> None:
    """So many tuples as are not yet acknowledged; more wait for an acknowledgement."""
    work, kind = build.work(op), record_of(op.inputs[0].type)
    most = work.constant("maxUnackedTupleCount", INT32)
    if not most > 0:
        raise ProgramError("a gate lets some tuples through", op.span, got=str(most))

    def write(port: int, text: str, ports: Ports) -> None:
        lines = work.lines
        if port == 0:
            lines.add(f"s.held.append({text})")
        else:
            setting = op.node.setting("numTuplesToAck")
            found = work.at(work.scope((op.inputs[1], text)))
            count = found.value(setting.values[0]).text if setting else "1"
            lines.add(f"s.open -= {count}", op.span)
        with lines.inside(f"while s.held and s.open < {most!r}:"):
            lines.add("s.open += 1")
            lines.add("yield s.held.pop(0)", op.span)
    _controlled(op, build, work, {"open": (int, 0), "held": (list[kind], [])}, write)


def dynamic_filter(op: Instance, build: Build) -> None:
    """The tuples whose key another port has added."""
    work = build.work(op)
    data = op.node.setting("key").values[0]
    key = work.at(work.scope((op.inputs[0], ITEM))).value(data).type
    names = ("key", "addKey", "removeKey")

    def write(port: int, text: str, ports: Ports) -> None:
        lines, setting = work.lines, op.node.setting(names[port])
        if setting is None:
            raise ProgramError(f"DynamicFilter wants the parameter {names[port]}", op.span)
        found = work.at(work.scope((op.inputs[port], text)))
        value = found.fit(setting.values[0], key, "the key")
        if port == 0:
            with lines.inside(f"if {value} in s.keys:", op.span):
                lines.add(f"yield {ports.given(0, text)}", op.span)
            if len(op.outputs) > 1:
                with lines.inside("else:"):
                    lines.add(f"yield {ports.given(1, text)}", op.span)
        elif port == 1:
            lines.add(f"s.keys[{value}] = 0", op.span)
        else:
            lines.add(f"s.keys.pop({value}, None)", op.span)
    field = state_field(Collection("map", (key, INT32)))
    _controlled(op, build, work, {"keys": field}, write)


# Text.

def _text_layout(work: Work) -> Layout:
    return Layout(work.word("format", FORMATS, "csv"), work.constant("separator", RSTRING, ","),
                  work.constant("quoteStrings", BOOLEAN, True))


def parse(op: Instance, build: Build) -> None:
    """A tuple from the text that comes."""
    work, output = build.work(op), op.outputs[0]
    found, setting = work.at(work.scope((op.inputs[0], ITEM))), op.node.setting("parseInput")
    value = setting.values[0] if setting else syntax.Name(
        op.span, next(iter(op.inputs[0].type.attributes)))
    code = found.value(value)
    if not is_string(code.type) and code.type != BLOB:
        raise ProgramError("Parse takes a string", value.span, got=str(code.type))
    text = f"{code.text}.decode()" if code.type == BLOB else code.text
    layout, kind = work.module.constant(_text_layout(work)), work.module.constant(output.type)
    work.extra = {"parsed": _parsed}
    build.give(op, Map(work.simple(f"parsed({text}, {layout}, {kind})", op.span)),
               [build.queue(op)])


def _parsed(text: str, layout: Layout, kind: TupleOf) -> object:
    try:
        return layout.reader(kind)(text)
    except BadValue as bad:
        raise RunError(f"a text cannot be parsed: {bad.reason}", expected=bad.expected,
                       got=bad.got) from None


def format_(op: Instance, build: Build) -> None:
    """The text of the tuple that comes: what `Output()` stands for in the output clause."""
    work = build.work(op)
    layout = work.module.constant(_text_layout(work))
    wants_blob = any(kind == BLOB for _, kind in op.outputs[0].type.fields)

    def output(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        text = f"{layout}.text({ITEM})"
        return Code(BLOB, f"{text}.encode()") if wants_blob else Code(RSTRING, text)
    work.calls["Output"] = output
    found = work.at(work.scope((op.inputs[0], ITEM)))
    build.give(op, Map(work.simple(work.output(0, found, op.inputs), op.span)), [build.queue(op)])


NO_NETWORK = "write to files or to standard output, or read from them"
ONE_JOB = "a program is one job: put the operators of both into one program"
MODELS = (
    Model("DeDuplicate", (1, 1), (1, 1), ("key", "count"), "one for each key", "at most one",
          deduplicate),
    Model("Barrier", (2, None), (1, 1), (), "the tuples that wait", "at most one", barrier,
          assigns=True),
    Model("Pair", (2, None), (1, 1), (), "the tuples that wait", "any number", pair),
    Model("Throttle", (1, 1), (1, 1), ("rate",), "one, by the clock", "one", throttle,
          required=("rate",)),
    Model("Switch", (2, 2), (1, 1), ("status", "initialStatus"), "one", "any number", switch,
          required=("status",)),
    Model("Gate", (2, 2), (1, 1), ("maxUnackedTupleCount", "numTuplesToAck"), "one", "any number",
          gate, required=("maxUnackedTupleCount",)),
    Model("DynamicFilter", (2, 3), (1, 2), ("key", "addKey", "removeKey"), "one", "at most one",
          dynamic_filter, required=("key", "addKey")),
    Model("Parse", (1, 1), (1, 1), ("format", "parseInput", "separator", "quoteStrings"), "none",
          "one", parse),
    Model("Format", (1, 1), (1, 1), ("format", "separator", "quoteStrings"), "none", "one", format_,
          assigns=True),
    *(Model(name, (0, None), (0, None), (), "", "", refused=help) for name, help in (
        ("Delay", "leave it out: tuples would be the same, and in the same order"),
        ("TCPSource", NO_NETWORK), ("TCPSink", NO_NETWORK), ("UDPSource", NO_NETWORK),
        ("UDPSink", NO_NETWORK), ("InetSource", NO_NETWORK), ("Import", ONE_JOB),
        ("Export", ONE_JOB), ("JavaOp", "write it in SPL, or as an operator in Python"),
        ("MetricsSink", "use --stats"), ("SpellCheck", "write it in SPL"))),
)
