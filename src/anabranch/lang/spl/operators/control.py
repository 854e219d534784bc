"""DeDuplicate, Switch, Gate and others of the utility toolkit.

Those with a port for control have one state, which both ports see in the order of arrival.
"""

from __future__ import annotations

from anabranch.core.errors import ProgramError, RunError
from anabranch.io.values.scalars import BadValue
from anabranch.ir.operators import Map
from anabranch.ir.records import state_class
from anabranch.lang.spl import syntax
from anabranch.lang.spl.binary import Packed, check_binary, parsed_bytes
from anabranch.lang.spl.building import (
    ITEM,
    PURE,
    Build,
    Model,
    Work,
    fields_named,
    key_attributes,
    outputs_of,
    python_name,
    state_field,
    stateful,
)
from anabranch.lang.spl.coding.bodies import Ports
from anabranch.lang.spl.coding.expressions import Expressions
from anabranch.lang.spl.coding.operations import Code
from anabranch.lang.spl.composites import Instance
from anabranch.lang.spl.formats import FORMATS, Layout, marks_of, parsed
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
    is_number,
    is_string,
    item_type,
    record_of,
    unbounded,
)


def control_plane(op: Instance, build: Build) -> None:
    """What consistent regions want beside them, and a run has in any case."""


def deduplicate(op: Instance, build: Build) -> None:
    """The first tuple of each key: of all, of so many, or of those that are not too far from each
    other by an attribute or by the clock."""
    work, given, name = build.work(op), op.inputs[0], python_name(op.name)
    setting = op.node.setting("key")
    values = [work_value(v, op) for v in setting.values] if setting else [
        syntax.Name(op.span, n) for n in given.type.attributes]
    key, lines, found = key_attributes(values, given), work.lines, work.at(
        work.scope((given, ITEM)))
    moment, far, kind = _forgetting(op, build, work)
    ports = Ports.of([o.name for o in op.outputs], [o.type for o in op.outputs],
                     [item_type(o.type) for o in op.outputs])
    work.extra = {"Given": ports.made} if ports.made else {}
    counted = moment == "s.number"
    alone = key is not None and not counted
    fields = {"known": (bool, False), "at": kind} if alone else {
        "number": (int, 0), "seen": (dict, {})}
    with lines.inside(f"def {name}(s, {ITEM}):", op.span):
        _pass_mark(op, build, work, ports)
        lines.add(f"now = {moment}" if not counted else "s.number += 1", op.span)
        now, place = "s.number" if counted else "now", "s.at" if alone else "s.seen[key]"
        if not alone:
            lines.add(f"key = ({', '.join(found.value(v).text for v in values)},)", op.span)
        fresh = "not s.known" if alone else "key not in s.seen"
        with lines.inside(f"if {fresh}{far and f' or {now} - {place} > {far}'}:"):
            lines.add("s.known = True" if alone else "")
            lines.add(f"{place} = {now}")
            lines.add(f"yield {ports.given(0, work.output(0, found, op.inputs))}", op.span)
        with lines.inside("else:"):
            if work.constant("resetOnDuplicate", BOOLEAN, True):
                lines.add(f"{place} = {now}")
            if len(op.outputs) > 1:
                lines.add(f"yield {ports.given(1, work.passes(1))}", op.span)
    by = fields_named(key) if alone else ()
    outputs_of(op, build, stateful(state_class(fields), by), work, work.function(name),
               build.queue(op), ports, False)


def _forgetting(op: Instance, build: Build, work: Work) -> tuple[str, str, tuple[object, object]]:
    """When a tuple comes, how far from another it is a new one, and the field for that."""
    given, named = op.inputs[0], [n for n in ("count", "timeOut", "deltaAttribute")
                                  if op.node.setting(n)]
    if len(named) > 1:
        raise ProgramError(f"{named[0]} and {named[1]} are not given together",
                           op.node.setting(named[1]).span)
    if named == ["count"]:
        return "s.number", repr(work.constant("count")), (int, 0)
    if named == ["timeOut"]:
        return "clock()", repr(work.constant("timeOut", FLOAT64)), (float, 0.0)
    if named == ["deltaAttribute"]:
        attribute = key_attributes([work_value(v, op) for v in op.node.setting(
            "deltaAttribute").values], given)
        if attribute is None or not is_number(given.type.attributes[attribute[0]]):
            raise ProgramError("deltaAttribute is an attribute that is a number",
                               op.node.setting("deltaAttribute").span)
        kind = given.type.attributes[attribute[0]]
        delta = work.constant("delta", kind)
        if delta is None:
            raise ProgramError("deltaAttribute wants a delta", op.span)
        return f"{ITEM}.{fields_named(attribute)[0]}", repr(delta), state_field(kind)
    return "0", "", (int, 0)


def _pass_mark(op: Instance, build: Build, work: Work, ports: Ports | None = None) -> None:
    """A window marker passes as it came."""
    if build.is_marked(op.inputs[0]):
        with work.lines.inside(f"if {ITEM} is None:"):
            for n in range(len(op.outputs)):
                work.lines.add(f"yield {ports.given(n, 'None') if ports else None}")
            work.lines.add("return")


def throttle(op: Instance, build: Build) -> None:
    """The tuples, no more than so many in a second."""
    rate = build.work(op).constant("rate", FLOAT64)
    if not rate > 0:
        raise ProgramError("a rate is above zero", op.node.setting("rate").span, got=str(rate))
    _paced(op, build, repr(1 / rate))


def delay(op: Instance, build: Build) -> None:
    """The tuples, all of them so much later: it waits before the first one."""
    seconds = build.work(op).constant("delay", FLOAT64)
    if not seconds >= 0:
        raise ProgramError("a delay is not below zero", op.node.setting("delay").span,
                           got=str(seconds))
    _paced(op, build, f"{float(seconds)!r} if s.count == 0 else 0.0")


def _paced(op: Instance, build: Build, wait: str) -> None:
    work, name = build.work(op), python_name(op.name)
    passes = work.passes()
    with work.lines.inside(f"def {name}(s, {ITEM}):", op.span):
        _pass_mark(op, build, work)
        work.lines.add(f"s.count += paced({wait})", op.span)
        work.lines.add(f"yield {passes}", op.span)
    kind = stateful(state_class({"count": (int, 0)}))
    build.give(op, kind(work.function(name)), [build.queue(op)])


def threaded_split(op: Instance, build: Build) -> None:
    """The tuples in turn: one for each port, again and again."""
    work, name, count = build.work(op), python_name(op.name), len(op.outputs)
    ports = Ports.of([o.name for o in op.outputs], [o.type for o in op.outputs],
                     [item_type(o.type) for o in op.outputs])
    work.extra = {"Given": ports.made} if ports.made else {}
    with work.lines.inside(f"def {name}(s, {ITEM}):", op.span):
        _pass_mark(op, build, work, ports)
        work.lines.add("turn = s.turn")
        work.lines.add(f"s.turn = (s.turn + 1) % {count}")
        for n in range(count):
            with work.lines.inside(f"if turn == {n}:"):
                work.lines.add(f"yield {ports.given(n, work.passes(n))}", op.span)
    kind = stateful(state_class({"turn": (int, 0)}))
    outputs_of(op, build, kind, work, work.function(name), build.queue(op), ports, False)


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
    opened = bool(work.constant("initialStatus", BOOLEAN, False))

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
    first = work.at(work.scope((op.inputs[0], ITEM)))
    keys = [first.value(v).type for v in op.node.setting("key").values]
    names = ("key", "addKey", "removeKey")

    def write(port: int, text: str, ports: Ports) -> None:
        lines, setting = work.lines, op.node.setting(names[port])
        if setting is None:
            raise ProgramError(f"DynamicFilter wants the parameter {names[port]}", op.span)
        found = work.at(work.scope((op.inputs[port], text)))
        if len(setting.values) != len(keys):
            raise ProgramError(f"{names[port]} has as many parts as the key", setting.span,
                               expected=str(len(keys)), got=str(len(setting.values)))
        parts = [found.fit(v, k, "the key") for v, k in zip(setting.values, keys, strict=True)]
        value = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
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
    field = state_field(Collection("map", (keys[0], INT32))) if len(keys) == 1 else (dict, {})
    _controlled(op, build, work, {"keys": field}, write)


# Text.

def _text_layout(work: Work, kind: TupleOf | None = None) -> Layout:
    return Layout(work.word("format", FORMATS, "csv"), work.constant("separator", RSTRING, ","),
                  work.constant("quoteStrings", BOOLEAN, True), marks=marks_of(kind))


def parse(op: Instance, build: Build) -> None:
    """A tuple from each line of the text that comes; lines of bytes go on where the bytes before
    them ended."""
    work, output = build.work(op), op.outputs[0]
    found, setting = work.at(work.scope((op.inputs[0], ITEM))), op.node.setting("parseInput")
    value = setting.values[0] if setting else syntax.Name(
        op.span, next(iter(op.inputs[0].type.attributes)))
    code = found.value(value)
    if not is_string(code.type) and code.type != BLOB:
        raise ProgramError("Parse takes a string", value.span, got=str(code.type))
    permissive = work.word("parsing", ("strict", "permissive", "fast"), "strict") == "permissive"
    if _is_binary(work, output.type):
        if code.type != BLOB:
            raise ProgramError("the format bin is parsed from a blob", value.span,
                               got=str(code.type))
        _parse_bytes(op, build, work, code.text, permissive)
        return
    layout, kind = work.module.constant(_text_layout(work)), work.module.constant(output.type)
    work.extra = {"parsed": _parsed}
    name, lines = python_name(op.name), work.lines

    def give(texts: str) -> None:
        lines.add(f"yield from parsed({texts}, {layout}, {kind}, {permissive})", op.span)
    state, end = None, None
    if code.type == BLOB:
        state = state_class({"rest": (bytes, b"")})
        with lines.inside(f"def end_of_{name}(s):", op.span):
            give("[s.rest]")
        end = work.function(f"end_of_{name}")
    with lines.inside(f"def {name}({'s, ' if state else ''}{ITEM}):", op.span):
        if state:
            lines.add(f"texts = (s.rest + {code.text}).split(b'\\n')", value.span)
            lines.add("s.rest = texts.pop()")
        give("texts" if state else f"{code.text}.split('\\n')")
    # Reading a literal takes an analysis long, and is ours: it only computes.
    build.give(op, stateful(state, (), end)(work.function(name)), [build.queue(op)], 0, PURE)


def _is_binary(work: Work, kind: TupleOf) -> bool:
    if work.word("format", (*FORMATS, "bin"), "csv") != "bin":
        return False
    check_binary(kind, work.op.node.setting("format").span)
    return True


def _parse_bytes(op: Instance, build: Build, work: Work, text: str, permissive: bool) -> None:
    """Tuples of bytes, which go on where those before them ended."""
    work.extra = {"parsed_bytes": parsed_bytes}
    kind, name = work.module.constant(unbounded(op.outputs[0].type)), python_name(op.name)
    for head, rest, last in ((f"{name}(s, {ITEM})", f"s.rest + {text}", False),
                             (f"end_of_{name}(s)", "s.rest", True)):
        with work.lines.inside(f"def {head}:", op.span):
            work.lines.add(f"found = parsed_bytes({rest}, {kind}, {last}, {permissive})", op.span)
            work.lines.add("s.rest = found[1]")
            work.lines.add("yield from found[0]", op.span)
    made = stateful(state_class({"rest": (bytes, b"")}), (), work.function(f"end_of_{name}"))
    build.give(op, made(work.function(name)), [build.queue(op)], 0, PURE)


def _parsed(texts: list, layout: Layout, kind: TupleOf, permissive: bool) -> list:
    """The tuples of lines, of which empty ones are none."""
    read = layout.reader(kind)
    plain = (t.decode(errors="replace") if isinstance(t, bytes) else t for t in texts)
    try:
        if not permissive:
            return [read(text.removesuffix("\r")) for text in plain if text]
        return [found for text in plain if text and (found := parsed(text, layout, kind))]
    except BadValue as bad:
        raise RunError(f"a text cannot be parsed: {bad.reason}", expected=bad.expected,
                       got=bad.got) from None


def format_(op: Instance, build: Build) -> None:
    """The text of the tuple that comes: what `Output()` stands for in the output clause."""
    work = build.work(op)
    binary = _is_binary(work, op.inputs[0].type)
    layout = work.module.constant(Packed(op.inputs[0].type) if binary else
                                  _text_layout(work, op.inputs[0].type))
    wants_blob = any(kind == BLOB for _, kind in op.outputs[0].type.fields)

    def output(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        if binary:
            return Code(BLOB, f"{layout}({ITEM})")
        # What bytes are made of goes on: each tuple is a line of them.
        text = f"{layout}.text({ITEM})"
        return Code(BLOB, f"({text} + '\\n').encode()") if wants_blob else Code(RSTRING, text)
    work.calls["Output"] = output
    found = work.at(work.scope((op.inputs[0], ITEM)))
    build.give(op, Map(work.simple(work.output(0, found, op.inputs), op.span)), [build.queue(op)])


BY_CLOCK = "leave it out: keys that are forgotten by the clock give other results each time"
MODELS = (
    Model("DeDuplicate", (1, 1), (1, 2), ("key", "count", "timeOut", "deltaAttribute", "delta",
          "resetOnDuplicate"), "one for each key; by the clock with timeOut", "at most one",
          deduplicate, assigns=True, forwards_marks=True,
          without=(("flushOnPunctuation", "write a Custom"),)),
    Model("Throttle", (1, 1), (1, 1), ("rate", "period", "includePunctuations", "precise"),
          "one, by the clock", "one", throttle, required=("rate",), forwards_marks=True),
    Model("Delay", (1, 1), (1, 1), ("delay", "bufferSize"), "one, by the clock", "one", delay,
          required=("delay",), forwards_marks=True),
    Model("ThreadedSplit", (1, 1), (1, None), ("bufferSize",), "whose turn it is",
          "one, on one port", threaded_split, forwards_marks=True),
    Model("Switch", (2, 2), (1, 1), ("status", "initialStatus"), "one", "any number", switch,
          required=("status",)),
    Model("Gate", (2, 2), (1, 1), ("maxUnackedTupleCount", "numTuplesToAck"), "one", "any number",
          gate, required=("maxUnackedTupleCount",)),
    Model("DynamicFilter", (2, 3), (1, 2), ("key", "addKey", "removeKey"), "one", "at most one",
          dynamic_filter, required=("key", "addKey"), without=tuple(
              (name, BY_CLOCK) for name in ("timeout", "timeOut"))),
    Model("Parse", (1, 1), (1, 1), ("format", "parseInput", "separator", "quoteStrings", "parsing"),
          "none; the rest of a line of bytes", "one for each line", parse),
    Model("JobControlPlane", (0, 0), (0, 0), (), "none", "none", control_plane),
    Model("Format", (1, 1), (1, 1), ("format", "separator", "quoteStrings"), "none", "one", format_,
          assigns=True),
    *(Model(name, (0, None), (0, None), (), "", "", refused=help) for name, help in (
        ("InetSource", "take a TCPSource, or a FileSource"),
        ("JavaOp", "write it in SPL, or in Python with an operator model beside it: `use` finds "
                   "it in a toolkit folder; a Java class runs in no engine here"),
        ("MetricsSink", "use --stats"), ("SpellCheck", "write it in SPL"),
        ("XMLParse", "write it in Python, with an operator model beside it"),
        ("Compress", "name the file of a FileSink with .gz"),
        ("Decompress", "name the file of a FileSource with .gz"),
        ("CharacterTransform", "files are read as UTF-8"))),
)
