"""What lowers an operator to ours: queues, ports, the functions of bodies.

The last of our operators that an operator becomes has the name of its stream, so that a loop can be
closed by name. A stream whose window markers matter to a reader has `None` for a marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder
from anabranch.ir.operators import Apply, Filter, FlatMap, Kind, Map, Union
from anabranch.ir.records import State, record_class
from anabranch.ir.types import INT, STR, OptionalOf, RecordOf, Type
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.bodies import Body, Ports, converted, defined
from anabranch.lang.spl.coding.expressions import Call, Expressions
from anabranch.lang.spl.coding.intrinsics import intrinsics
from anabranch.lang.spl.coding.lines import Lines
from anabranch.lang.spl.coding.operations import Code
from anabranch.lang.spl.coding.scopes import Binding, Functions, Module, Scope, Substitute
from anabranch.lang.spl.composites import Input, Instance, Output
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import (
    FLOAT64,
    INT32,
    SplType,
    TupleOf,
    default_of,
    field_name,
    hint_of,
    is_integer,
    is_number,
    item_type,
    record_of,
)

PURE = Annotation("Pure")
ITEM = "t"


@dataclass(frozen=True)
class Model:
    """What is known of an operator before any program: its ports, its parameters, and what its
    documentation says of its state, its selectivity, and window markers.

    Facts about one operator of a program come from the analysis of what it becomes; `state` and
    `selectivity` are for people. `without` are parameters that are refused, with what to do.
    """

    name: str
    inputs: tuple[int, int | None]
    outputs: tuple[int, int | None]
    parameters: tuple[str, ...]
    state: str
    selectivity: str
    lower: Callable[[Instance, Build], None] | None = None
    required: tuple[str, ...] = ()
    windows: bool = False
    logic: bool = False
    assigns: bool = False
    forwards_marks: bool = False
    makes_marks: bool = False
    marks_end: bool = False
    refused: str = ""
    open: bool = False
    without: tuple[tuple[str, str], ...] = ()

    @property
    def takes_marks(self) -> bool:
        """Whether it knows what to do with window markers; the others never see them."""
        return self.forwards_marks or self.windows or self.logic or self.outputs == (0, 0)

    def check(self, op: Instance) -> None:
        """That an invocation has what the operator takes."""
        node = op.node
        if self.lower is None:
            raise ProgramError(f"{self.name} is not supported", node.span, help=self.refused)
        _count(self.inputs, len(op.inputs), f"{self.name} has {{}} input ports", node)
        _count(self.outputs, len(op.outputs), f"{self.name} has {{}} output ports", node)
        for setting in node.parameters:
            if (help := dict(self.without).get(setting.name.text)) is not None:
                raise ProgramError(f"the parameter {setting.name.text} of {self.name} is not "
                                   "supported", setting.name.span, help=help)
            if not self.open and setting.name.text not in self.parameters:
                raise ProgramError(f"{self.name} has no parameter {setting.name.text}",
                                   setting.name.span, help=did_you_mean(setting.name.text,
                                                                        self.parameters))
        for name in self.required:
            if node.setting(name) is None:
                raise ProgramError(f"{self.name} wants the parameter {name}", node.span)
        clauses = ((node.windows, self.windows, "window"), (node.assignments, self.assigns,
                   "output"), (node.handlers, self.logic or op.inputs, "logic"))
        for given, allowed, name in clauses:
            if given and not allowed:
                raise ProgramError(f"{self.name} takes no {name} clause", given[0].span)
        for handler in node.handlers:
            _known_port(handler.port, op.inputs, "input")
        for clause in node.assignments:
            _known_port(clause.port, op.outputs, "output")
        for window in node.windows:
            _known_port(window.port, op.inputs, "input")


def _count(wanted: tuple[int, int | None], given: int, what: str, node: syntax.Invocation) -> None:
    least, most = wanted
    if given < least or (most is not None and given > most):
        number = str(least) if least == most else f"{least} or more" if most is None else (
            f"{least} to {most}")
        raise ProgramError(what.format(number), node.span, got=str(given))


def _known_port(port: syntax.Word | None, ports: Sequence[Input | Output], what: str) -> None:
    names = [p.name for p in ports]
    if port is not None and port.text not in names:
        raise ProgramError(f"there is no {what} port {port.text}", port.span,
                           help=did_you_mean(port.text, names))


class Build:
    """The graph under construction."""

    def __init__(self, functions: Functions, marked: frozenset[str],
                 parameters: dict[str, str], placements: dict[str, tuple[Annotation, ...]]):
        self.builder, self.functions, self.marked = Builder(), functions, marked
        self.parameters, self.placements = parameters, placements
        self.printed: list[str] = []
        self.printing = False
        self.event_times: dict[str, tuple[str, float]] = {}
        self.sources: set[str] = set()
        self.blind: set[str] = set()

    # ------------------------------------------------------------------ queues

    def type_of(self, port: Output) -> Type:
        kind = RecordOf(record_of(port.type))
        return OptionalOf(kind) if port.stream in self.marked else kind

    def is_marked(self, port: Input | Output) -> bool:
        streams = port.streams if isinstance(port, Input) else (port.stream,)
        return any(s in self.marked for s in streams)

    def ends_marked(self, port: Input) -> bool:
        """Whether the end of the sources of a port comes with a window marker."""
        return any(stream in self.sources for stream in port.streams)

    def queue(self, op: Instance, port: int = 0) -> str:
        """The queue with the tuples of a port; several streams come together as they arrive. Those
        who are blind for window markers get none."""
        given = op.inputs[port]
        kind, marked = RecordOf(record_of(given.type)), self.is_marked(given)
        queue = given.streams[0]
        if len(given.streams) > 1:
            queue = self.add("union", Union(len(given.streams)), given.streams,
                             OptionalOf(kind) if marked else kind, given.span)
        if marked and op.name in self.blind:
            tuples = Function.from_source("lambda t: [] if t is None else [t]", {}, given.span)
            queue = self.add("tuples", FlatMap(tuples), [queue], kind, given.span)
        return queue

    def merged(self, op: Instance, keys: Sequence[tuple[str, ...]] = ()) -> tuple[str, type]:
        """The tuples of all ports in one queue, each with the number of its port and, for each of
        the attributes that are its key, a field: k0, k1, and so on."""
        kinds = [OptionalOf(RecordOf(record_of(p.type))) for p in op.inputs]
        parts = [] if not keys else [dict(op.inputs[0].type.fields)[a] for a in self._plain(
            op.inputs[0], keys[0])]
        made = record_class("Taken", {"port": INT, **{f"p{n}": k for n, k in enumerate(kinds)},
                                      **{f"k{n}": item_type(k) for n, k in enumerate(parts)}})
        queues = []
        for n, port in enumerate(op.inputs):
            places = ["t" if m == n else "None" for m in range(len(kinds))]
            places += [f"t.{a}" for a in keys[n]] if keys else []
            body = Function.from_source(f"lambda t: Taken({', '.join([str(n), *places])})",
                                        {"Taken": made}, port.span)
            queues.append(self.add("port", Map(body), [self.queue(op, n)], RecordOf(made),
                                   port.span))
        return self.add("ports", Union(len(queues)), queues, RecordOf(made), op.span), made

    @staticmethod
    def _plain(port: Input, fields: tuple[str, ...]) -> list[str]:
        """The attributes that have these fields."""
        return [next(name for name, _ in port.type.fields if field_name(name) == f) for f in fields]

    def add(self, name: str, kind: Kind, queues: Iterable[str], item: Type, span: Span | None,
            *annotations: Annotation) -> str:
        return self.builder.add(name, kind, queues, [item], annotations, span)[0]

    def give(self, op: Instance, kind: Kind, queues: Iterable[str], port: int = 0,
             *annotations: Annotation) -> None:
        """The operator whose output is the stream of a port."""
        output = op.outputs[port]
        self.builder.place(self.builder.unique(output.stream), kind, queues, [output.stream],
                           [self.type_of(output)], (*annotations, *self.placements[op.name]),
                           output.span)

    # ------------------------------------------------------------------ bodies

    def work(self, op: Instance) -> Work:
        return Work(self, op)


class Work:
    """The function of one operator while it is written."""

    def __init__(self, build: Build, op: Instance):
        self.build, self.op = build, op
        self.module, self.lines = Module(build.functions), Lines()
        self.calls: dict[str, Call] = intrinsics(op, build.parameters)

    def scope(self, *ports: tuple[Input, str]) -> Scope:
        """The names of attributes and of ports; an attribute of two ports needs its port's name."""
        names: dict[str, object] = {}
        twice: set[str] = set()
        for port, text in ports:
            for name, kind in port.type.fields:
                twice |= {name} & names.keys()
                names[name] = Binding(kind, f"{text}.{field_name(name)}")
        names = {name: found for name, found in names.items() if name not in twice}
        names |= {port.name: Binding(port.type, text) for port, text in ports}
        return self.op.scope.inside(names)

    def at(self, scope: Scope) -> Expressions:
        return Expressions(self.module, self.op.types, scope, self.calls)

    def writing(self, scope: Scope) -> Expressions:
        """The same where statements are written: what changes something becomes lines."""
        return Expressions(self.module, self.op.types, scope, self.calls, self.lines)

    def body(self, ports: Ports, prints_to: int | None = None) -> Body:
        found = Body(self.lines, self.module, self.op.types, ports, prints_to)
        found.calls = self.calls
        return found

    def constant(self, name: str, wanted: SplType | None = None, default: object = None) -> object:
        """The value of a parameter that is known before the program runs."""
        setting = self.op.node.setting(name)
        if setting is None:
            return default
        found = self.at(self.op.scope)
        if wanted in (INT32, FLOAT64):
            kind = found.value(setting.values[0], wanted).type
            if is_integer(kind) or (wanted == FLOAT64 and is_number(kind)):
                # Numbers of parameters may have any width.
                wanted = kind
        if wanted is not None:
            found.fit(setting.values[0], wanted, f"the parameter {name}")
        return found.constant(setting.values[0], wanted)

    def word(self, name: str, known: Iterable[str], default: str) -> str:
        """A parameter that is one of some words."""
        setting = self.op.node.setting(name)
        if setting is None:
            return default
        value = setting.values[0]
        text = value.text if isinstance(value, syntax.Name) else getattr(value, "value", None)
        if isinstance(value, syntax.Attribute):
            text = value.name.text
        if text not in known:
            raise ProgramError(f"{text} is no {name} of {self.op.operator}", value.span,
                               expected=" or ".join(known))
        return text

    # ------------------------------------------------------------------ tuples

    def output(self, port: int, found: Expressions, given: Sequence[Input] = ()) -> str:
        """The text of an output tuple: what the output clause assigns, and the attributes of the
        inputs by their names."""
        target = self.op.outputs[port]
        clause = next((c for c in self.op.node.assignments if c.port.text == target.name), None)
        assigned = {self.attribute(f.name): f for f in clause.fields} if clause else {}
        kinds = target.type.attributes
        for name, each in assigned.items():
            if name not in kinds:
                raise ProgramError(f"{target.name} has no attribute {name}", each.name.span,
                                   help=did_you_mean(name, kinds))
        texts = {}
        for name, kind in target.type.fields:
            if name in assigned:
                texts[name] = found.owned(assigned[name].value, kind, f"the value of {name}")
            else:
                texts[name] = self._copied(name, kind, found, given, target)
        return found.made(target.type, texts).text

    def attribute(self, name: syntax.Word) -> str:
        """An attribute, which a parameter of a composite may stand for."""
        found = self.op.scope.find(name.text)
        given = isinstance(found, Substitute) and isinstance(found.node, syntax.Name)
        return found.node.text if given and name.text.startswith("$") else name.text

    @staticmethod
    def _copied(name: str, kind: SplType, found: Expressions, given: Sequence[Input],
                target: Output) -> str:
        if isinstance(found.scope.find(name), Substitute):
            return found.fit(syntax.Name(target.span, name), kind, f"the attribute {name}")
        for port in given:
            if port.type.attributes.get(name) is not None:
                node = syntax.Attribute(target.span, syntax.Name(target.span, port.name),
                                        syntax.Word(target.span, name))
                return found.fit(node, kind, f"the attribute {name}")
        raise ProgramError(f"nothing gives a value to {name} of {target.name}", target.span,
                           help="assign it in the output clause")

    def passes(self, port: int = 0) -> str:
        """The text of the input tuple as an output; their attributes have to be the same."""
        code = Code(self.op.inputs[0].type, ITEM)
        output = self.op.outputs[port]
        node = syntax.Name(output.span, output.name)
        return converted(self.at(self.op.scope), code, output.type, node).text

    # ------------------------------------------------------------------ functions

    def function(self, name: str = "f") -> Function:
        """The function whose lines have been written."""
        return defined(self.lines, name, self.module, self.op.types, self.op.span, **self.extra)

    extra: dict[str, object] = {}

    def simple(self, text: str, span: Span, given: str = ITEM) -> Function:
        """The function of an item that gives one expression."""
        lines = Lines()
        with lines.inside(f"def {python_name(self.op.name)}({given}):", span):
            lines.add(f"return {text}", span)
        return defined(lines, python_name(self.op.name), self.module, self.op.types, span,
                       **self.extra)


def python_name(name: str) -> str:
    """A name of an operator as one of a function, which nothing that it calls has."""
    return field_name("".join(c if c.isalnum() else "_" for c in name)) + "_"


def state_field(kind: SplType, value: object = None) -> tuple[object, object]:
    return hint_of(kind), default_of(kind) if value is None else value


def outputs_of(op: Instance, build: Build, kind: Callable[[Function], Kind], work: Work,
               function: Function, queue: str, ports: Ports, prints: bool) -> None:
    """Adds an operator and, where it has several output ports, what takes them apart."""
    count = len(op.outputs) + prints
    if count == 1 and not prints:
        build.give(op, kind(function), [queue])
        return
    if count == 1:
        build.printed.append(build.add(op.name, kind(function), [queue], STR, op.span))
        return
    both = build.add(f"{op.name}.ports", kind(function), [queue], RecordOf(ports.made), op.span,
                     *build.placements[op.name])
    for n in range(count):
        chosen = Function.from_source(f"lambda g: g.port == {n}", {}, op.span)
        taken = Function.from_source(f"lambda g: g.p{n}", {}, op.span)
        some = build.add("port", Filter(chosen), [both], RecordOf(ports.made), op.span)
        if n < len(op.outputs):
            build.give(op, Map(taken), [some], n)
        else:
            build.printed.append(build.add("printed", Map(taken), [some], STR, op.span))


def stateful(state: type[State] | None, by: tuple[str, ...] = (), at_end: Function | None = None
             ) -> Callable[[Function], Kind]:
    """The kind of an operator whose function yields."""
    def kind(function: Function) -> Kind:
        if state is None:
            return FlatMap(function) if at_end is None else Apply(function, None, (), at_end)
        return Apply(function, state, by, at_end)
    return kind


def item_of(port: Output) -> Type:
    return item_type(port.type)


def same_type(op: Instance, kind: TupleOf, span: Span) -> None:
    """That an output port gives what comes."""
    if kind != op.inputs[0].type:
        raise ProgramError(f"{op.operator} gives the tuples that it takes", span,
                           expected=str(op.inputs[0].type), got=str(kind))


def key_attributes(values: Iterable[Node], port: Input) -> tuple[str, ...] | None:
    """The attributes of a port that expressions are; None where one is anything else."""
    found = []
    for value in values:
        if isinstance(value, syntax.Attribute) and isinstance(value.owner, syntax.Name) and (
                value.owner.text == port.name):
            value = syntax.Name(value.span, value.name.text)
        if not isinstance(value, syntax.Name) or value.text not in port.type.attributes:
            return None
        found.append(value.text)
    return tuple(found)


def fields_named(attributes: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(field_name, attributes))
