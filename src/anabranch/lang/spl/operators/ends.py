"""Beacon, files, folders and sockets: where streams begin and end."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.io.python.objects import IterableSource
from anabranch.io.rows import BadRows
from anabranch.ir.function import Function
from anabranch.ir.operators import FlatMap, Sink, Source
from anabranch.ir.records import record_class
from anabranch.ir.types import INT, RecordOf
from anabranch.lang.spl import syntax
from anabranch.lang.spl.binary import BinarySource, Packed, check_binary
from anabranch.lang.spl.building import (
    ITEM,
    PURE,
    Build,
    Model,
    Work,
    fields_named,
    key_attributes,
    python_name,
    stateful,
)
from anabranch.lang.spl.coding.expressions import Expressions
from anabranch.lang.spl.coding.operations import Code
from anabranch.lang.spl.composites import Instance
from anabranch.lang.spl.formats import (
    ENDLESS,
    FORMATS,
    STANDARD_PATHS,
    BeaconSource,
    BlockSource,
    Layout,
    SplFile,
    SplOutput,
    SplSource,
    check_text,
    marks_of,
)
from anabranch.lang.spl.operators.relational import Logic
from anabranch.lang.spl.sockets import Address, SocketOutput, SocketSource
from anabranch.lang.spl.types import (
    BLOB,
    BOOLEAN,
    FLOAT64,
    INT32,
    RSTRING,
    UINT64,
    SplType,
    TupleOf,
    field_name,
    is_string,
    record_of,
    unbounded,
)


def beacon(op: Instance, build: Build) -> None:
    """A source that computes each tuple from its number."""
    if op.node.handlers:
        return _beacon_with_logic(op, build)
    work = build.work(op)

    def iteration(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        return Code(UINT64, "i")
    work.calls["IterationCount"] = iteration
    output, found = op.outputs[0], work.at(op.scope)
    clause = next(iter(op.node.assignments), None)
    assigned = {f.name.text: f.value for f in clause.fields} if clause else {}
    for name in assigned:
        if name not in output.type.attributes:
            work.output(0, found)
    texts = {name: found.owned(assigned[name], kind, f"the value of {name}") if name in assigned
             else found.default(kind) for name, kind in output.type.fields}
    text = found.made(output.type, texts).text
    function = work.simple(_paced(work) + text, output.span, "i")
    time = event_time(op, build)
    spec = BeaconSource(function.call, _iterations(work), build.type_of(output), time, op.span)
    return build.give(op, Source(spec, time), ())


def _iterations(work: Work) -> int:
    count = work.constant("iterations", None, ENDLESS)
    if not isinstance(count, int) or count < 0:
        raise ProgramError("a Beacon has a number of iterations",
                           work.op.node.setting("iterations").span, got=str(count))
    return count


def _paced(work: Work) -> str:
    """What waits before each tuple, and before the first one."""
    period = float(work.constant("period", FLOAT64, 0.0))
    first = float(work.constant("initDelay", FLOAT64, 0.0))
    wait = f"{first!r} if i == 0 else {period!r}" if first else repr(period)
    return f"paced({wait}) and " if period or first else ""


def _beacon_with_logic(op: Instance, build: Build) -> None:
    """A source of numbers, and behind it the tuples, which see the state of the logic."""
    work, numbers = build.work(op), record_class("Iteration", {"number": INT})
    number = Function.from_source("lambda i: Iteration(i)", {"Iteration": numbers}, op.span)
    source = BeaconSource(number.call, _iterations(work), RecordOf(numbers), None, op.span)
    logic, name, paced = Logic(op, build, work), python_name(op.name), _paced(work)

    def iteration(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        return Code(UINT64, f"{ITEM}.number")
    work.calls["IterationCount"] = iteration
    output = op.outputs[0]
    clause = next(iter(op.node.assignments), None)
    given = {f.name.text: f.value for f in clause.fields} if clause else {}
    with work.lines.inside(f"def {name}({'s, ' if logic.fields else ''}{ITEM}):", op.span):
        found = work.writing(logic.scope())
        if set(given) - output.type.attributes.keys():
            work.output(0, found)
        # What the output clause changes, it changes in the order of the text.
        texts = {n: found.owned(value, output.type.attributes[n], f"the value of {n}")
                 for n, value in given.items()}
        texts |= {n: found.default(kind) for n, kind in output.type.fields if n not in given}
        if paced:
            work.lines.add(f"i = {ITEM}.number")
        work.lines.add(f"yield {paced}{found.made(output.type, texts).text}", op.span)
    queue = build.add(f"{op.name}.numbers", Source(source, None), (), RecordOf(numbers), op.span)
    build.give(op, stateful(logic.state)(work.function(name)), [queue])


def event_time(op: Instance, build: Build) -> str | None:
    """The attribute that the annotation eventTime names, and how many of its units a second has."""
    note = next((n for n in op.notes if n.name == "eventTime"), None)
    if note is None:
        return None
    named = note.value("eventTimeAttribute")
    kinds = op.outputs[0].type.attributes
    if not isinstance(named, syntax.Name) or named.text not in kinds:
        raise ProgramError("eventTime names an attribute of the source", note.span,
                           expected="@eventTime(eventTimeAttribute=ts)")
    units = _units(note, unbounded(kinds[named.text]) in (FLOAT64,))
    build.event_times[op.outputs[0].stream] = named.text, units
    return field_name(named.text)


def _units(note: syntax.Note, real: bool) -> float:
    """How many of the units of a time make a second."""
    given = note.value("resolution")
    name = getattr(given, "text", None) or getattr(getattr(given, "name", None), "text", None)
    known = {"Seconds": 1, "Milliseconds": 1_000, "Microseconds": 1_000_000,
             "Nanoseconds": 1_000_000_000}
    if given is None:
        return 1 if real else 1_000
    if name not in known:
        raise ProgramError("this is no resolution", given.span, expected=" or ".join(known))
    return known[name]


def _layout(work: Work, kind: TupleOf) -> Layout:
    format = work.word("format", (*FORMATS, "bin", "block"), "csv")
    if format == "block" and work.op.operator == "FileSource" and not work.op.inputs:
        return Layout("block")
    if format == "bin" and work.op.operator in ("FileSource", "FileSink"):
        return _binary(work, kind)
    if format in ("bin", "block"):
        raise ProgramError(f"the format {format} is not supported",
                           work.op.node.setting("format").span, expected=" or ".join(FORMATS))
    left_out = _suppressed(work, kind)
    fields = [f for f in kind.fields if field_name(f[0]) not in left_out]
    if format == "line" and (len(fields) != 1 or left_out or not is_string(fields[0][1])):
        raise ProgramError("the format line is for tuples of one string", work.op.span,
                           got=str(kind))
    delays = work.constant("hasDelayField", BOOLEAN, False)
    if delays and format != "csv":
        raise ProgramError("hasDelayField is for the format csv",
                           work.op.node.setting("hasDelayField").span, got=format)
    work.word("encoding", ("UTF-8", "utf-8", "UTF8"), "UTF-8")
    return Layout(format, work.constant("separator", RSTRING, ","),
                  work.constant("quoteStrings", BOOLEAN, True),
                  work.constant("ignoreExtraCSVValues", BOOLEAN, False), int(delays), left_out,
                  marks=marks_of(kind) if work.op.inputs and not work.op.outputs else None)


def _binary(work: Work, kind: TupleOf) -> Layout:
    check_binary(kind, work.op.node.setting("format").span)
    for name in ("suppress", "hasDelayField", "hasHeaderLine", "separator"):
        if (setting := work.op.node.setting(name)) is not None:
            raise ProgramError(f"{name} is not for the format bin", setting.name.span)
    return Layout("bin", packs=Packed(kind))


def _suppressed(work: Work, kind: TupleOf) -> tuple[str, ...]:
    """The fields that a sink does not write."""
    setting = work.op.node.setting("suppress")
    if setting is None:
        return ()
    found = key_attributes(setting.values, work.op.inputs[0])
    if found is None:
        raise ProgramError("suppress takes attributes", setting.values[0].span)
    return fields_named(found)


def _blocks(op: Instance, build: Build, work: Work) -> None:
    """A source of the bytes of a file, in pieces."""
    output, size = op.outputs[0], work.constant("blockSize", INT32)
    if [kind for _, kind in output.type.fields] != [BLOB]:
        raise ProgramError("the format block is for tuples of one blob", output.span,
                           got=str(output.type))
    if size is None or size < 1:
        raise ProgramError("the format block wants a blockSize", op.span,
                           expected="blockSize: 1024u;")
    spec = BlockSource(work.constant("file", RSTRING), output.type, build.type_of(output),
                       Layout("block"), span=op.span, size=size)
    return build.give(op, Source(spec, None), ())


def file_source(op: Instance, build: Build) -> None:
    """A source of the lines of a file, or of the files whose names come in."""
    work, output = build.work(op), op.outputs[0]
    layout = _layout(work, output.type)
    permissive = work.word("parsing", ("strict", "permissive", "fast"), "strict") == "permissive"
    header, time = _header(work), event_time(op, build)
    made = BinarySource if layout.format == "bin" else SplSource
    if op.inputs:
        return _named_files(op, build, work, made("", output.type, build.type_of(output), layout,
                                                  time, header, permissive, op.span))
    if op.node.setting("file") is None:
        raise ProgramError("FileSource wants the parameter file", op.span)
    if layout.format == "block":
        return _blocks(op, build, work)
    spec = made(work.constant("file", RSTRING), output.type, build.type_of(output), layout, time,
                header, permissive, op.span, float(work.constant("initDelay", FLOAT64, 0.0)))
    return build.give(op, Source(spec, time), ())


def _named_files(op: Instance, build: Build, work: Work, spec: SplSource) -> None:
    """The tuples of each file whose name comes in, one file after the other."""
    [(name, kind), *more] = op.inputs[0].type.fields
    if more or not is_string(kind):
        raise ProgramError("a FileSource takes tuples with the name of a file", op.inputs[0].span,
                           expected="tuple<rstring name>", got=str(op.inputs[0].type))
    work.extra = {"tuples_of": TuplesOf(spec)}
    text = f"tuples_of({ITEM}.{field_name(name)})"
    # Declared, not proved: files are taken to stay as they are during the run. To look at all of
    # our own reading takes minutes.
    build.give(op, FlatMap(work.simple(text, op.span)), [build.queue(op)], 0, PURE)


@dataclass(frozen=True)
class TuplesOf:
    """The tuples of a file, when its name is known."""

    spec: SplSource

    def __call__(self, path: str) -> list:
        return list(self.spec.at(path).items(BadRows.parse("stop")))


def _header(work: Work) -> int:
    setting = work.op.node.setting("hasHeaderLine")
    if setting is None:
        return 0
    value = work.at(work.op.scope).constant(setting.values[0])
    return int(value)


def file_sink(op: Instance, build: Build) -> None:
    """A file, or standard output."""
    work = build.work(op)
    layout, path = _layout(work, op.inputs[0].type), work.constant("file", RSTRING)
    queue = build.queue(op)
    if path in STANDARD_PATHS:
        check_text(layout, op.span)
        spec = SplOutput(layout, op.span, held=build.printing)
        build.printing = True
    else:
        spec = SplFile(path, op.span, layout)
    build.builder.place(build.builder.unique(op.name), Sink(spec), [queue], (), (), (), op.span)


def directory_scan(op: Instance, build: Build) -> None:
    """The names of the files of a folder, as they are when the program begins."""
    work, output = build.work(op), op.outputs[0]
    folder = work.constant("directory", RSTRING)
    pattern = work.constant("pattern", RSTRING, None)
    if not os.path.isdir(folder):
        raise ProgramError(f"there is no folder {folder}", op.node.setting("directory").span)
    fields = output.type.fields
    if len(fields) != 1 or not is_string(fields[0][1]):
        raise ProgramError("DirectoryScan gives tuples of one string", output.span,
                           got=str(output.type))
    names = [n for n in sorted(glob.glob(os.path.join(folder, "*"))) if os.path.isfile(n)
             and (pattern is None or re.search(pattern, os.path.basename(n)))]
    make = record_of(output.type)
    spec = IterableSource([make(n) for n in names], build.type_of(output), None, op.span)
    build.give(op, Source(spec, None), ())


# Sockets.

def _address(work: Work, protocol: str, roles: tuple[str, ...]) -> Address:
    role = work.word("role", roles, roles[0])
    host = work.constant("address", RSTRING, None)
    port = work.constant("port", None, None)
    if host is None:
        host = "127.0.0.1" if role == "client" and protocol == "tcp" else ""
    try:
        number = int(port)
    except (TypeError, ValueError):
        number = -1
    if not 0 < number < 65536:
        raise ProgramError(f"{work.op.operator} wants a port", work.op.span,
                           expected="port: 9000", got=str(port))
    return Address(protocol, role, host, number)


def socket_source(protocol: str) -> Callable[[Instance, Build], None]:
    def lower(op: Instance, build: Build) -> None:
        work, output = build.work(op), op.outputs[0]
        layout, time = _layout(work, output.type), event_time(op, build)
        roles = ("client", "server") if protocol == "tcp" else ("server",)
        parsing = work.word("parsing", ("strict", "permissive", "fast"), "strict")
        spec = SocketSource(_address(work, protocol, roles), output.type, build.type_of(output),
                            layout, time, parsing == "permissive", op.span)
        build.give(op, Source(spec, time), ())
    return lower


def socket_sink(protocol: str) -> Callable[[Instance, Build], None]:
    def lower(op: Instance, build: Build) -> None:
        work = build.work(op)
        roles = ("client", "server") if protocol == "tcp" else ("client",)
        spec = SocketOutput(_address(work, protocol, roles), _layout(work, op.inputs[0].type),
                            op.span)
        build.builder.place(build.builder.unique(op.name), Sink(spec), [build.queue(op)], (), (),
                            (), op.span)
    return lower


ONE_FILE = "one file is written, and is complete at the end"
AS_NAMED = "a file whose name ends in .gz is packed so"
LINES = ("format", "separator", "quoteStrings", "encoding")
NOT_WITH_SOCKETS = (("reconnectionPolicy", "leave it out: a client waits for its server"),
                    ("confirmWireFormat", "leave it out: tuples are lines of text"),
                    ("name", "give address and port"), ("interface", "give address"))
MODELS = (
    Model("Beacon", (0, 0), (1, 1), ("iterations", "period", "initDelay"),
          "none; that of its logic", "a source", beacon, assigns=True, logic=True, marks_end=True,
          without=(("triggerCount", "leave it out, with @consistent"),)),
    Model("FileSource", (0, 1), (1, 1), ("file", *LINES, "blockSize", "hasHeaderLine",
          "ignoreExtraCSVValues", "parsing", "hasDelayField", "initDelay"), "none", "a source",
          file_source, marks_end=True,
          without=(("hotFile", "a folder that grows is read with --stream"),
                   ("deleteFile", "delete it when the run is over"),
                   ("moveFileToDirectory", "move it when the run is over"),
                   ("compression", AS_NAMED), ("defaultTuple", "read fewer attributes, and add "
                    "others in a Functor"), ("eolMarker", "lines end with a newline"),
                   ("readPunctuations", "write a Punctor"), ("ignoreOpenErrors", "leave it out"))),
    Model("FileSink", (1, 1), (0, 0), ("file", *LINES, "flush", "flushOnPunctuation", "suppress"),
          "none", "a sink", file_sink, required=("file",),
          without=(("append", ONE_FILE), ("closeMode", ONE_FILE), ("tuplesPerFile", ONE_FILE),
                   ("bytesPerFile", ONE_FILE), ("timePerFile", ONE_FILE),
                   ("moveFileToDirectory", "move it when the run is over"),
                   ("compression", AS_NAMED), ("eolMarker", "lines end with a newline"),
                   ("hasDelayField", "write the time as an attribute"),
                   ("writePunctuations", "write the markers in a Custom"))),
    Model("DirectoryScan", (0, 0), (1, 1), ("directory", "pattern"), "none", "a source",
          directory_scan, required=("directory",), marks_end=True, without=tuple(
              (name, "files are those that are there when the program begins")
              for name in ("sleepTime", "initDelay", "ignoreDotFiles", "sortBy", "order",
                           "moveToDirectory", "ignoreExistingFilesAtStartup"))),
    Model("TCPSource", (0, 0), (1, 1), ("role", "address", "port", *LINES, "parsing",
          "ignoreExtraCSVValues", "hasDelayField"), "none", "a source, read once",
          socket_source("tcp"), required=("role",), marks_end=True, without=NOT_WITH_SOCKETS),
    Model("TCPSink", (1, 1), (0, 0), ("role", "address", "port", *LINES, "flush"), "none",
          "a sink", socket_sink("tcp"), required=("role",), without=NOT_WITH_SOCKETS),
    Model("UDPSource", (0, 0), (1, 1), ("address", "port", *LINES, "parsing",
          "ignoreExtraCSVValues"), "none", "a source without end, read once",
          socket_source("udp"), required=("port",), without=NOT_WITH_SOCKETS),
    Model("UDPSink", (1, 1), (0, 0), ("address", "port", *LINES), "none", "a sink",
          socket_sink("udp"), required=("address", "port"), without=NOT_WITH_SOCKETS),
)
