"""Composites: each invocation is replaced by the graph inside.

A stream inside has the name of the composite's invocation before its own: `Inner.Words`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.bodies import called_functions
from anabranch.lang.spl.coding.scopes import Binding, Functions, Scope, Substitute
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import (
    RSTRING,
    TIME_FORMS,
    TIME_PARTS,
    Collection,
    EnumOf,
    OptionalOf,
    Primitive,
    SplType,
    TupleOf,
)

MARKERS = EnumOf(("WindowMarker", "FinalMarker"))
SYSTEM = {f"Sys.{name}": Binding(kind, repr(name), constant=name)
          for kind in (MARKERS, TIME_FORMS) for name in kind.names}


@dataclass(frozen=True)
class Input:
    """An input port: the name by which it is known inside, its streams, the type of its tuples."""

    name: str
    streams: tuple[str, ...]
    type: TupleOf
    span: Span


@dataclass(frozen=True)
class Output:
    """An output port: its name in the text, and the stream that it writes."""

    name: str
    stream: str
    type: TupleOf
    span: Span
    alias: str = ""


@dataclass(frozen=True)
class Instance:
    """One operator of the program, with the names that are known where it stands."""

    name: str
    operator: str
    node: syntax.Invocation
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    scope: Scope
    types: Callable[[Node], SplType]
    notes: tuple[syntax.Note, ...]
    config: tuple[syntax.Setting, ...]

    @property
    def span(self) -> Span:
        return self.node.span


@dataclass
class Streams:
    """The streams of one composite: their unique names, and their types."""

    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, Callable[[], TupleOf]] = field(default_factory=dict)


class Expansion:
    """Collects the operators of a program."""

    def __init__(self, program: syntax.Program, operators: Iterable[str],
                 parameters: Mapping[str, str]):
        self.composites = {c.name.text: c for c in program.composites}
        self.operators, self.parameters = set(operators), parameters
        self.functions = Functions(called_functions)
        self.scope = Scope(dict(SYSTEM))
        self.found: list[Instance] = []
        self._names: set[str] = set()
        self._looked_at: set[tuple[int, str]] = set()
        self._define(program.types, self.scope)
        for function in program.functions:
            self._declare_function(function)

    def expand_main(self, program: syntax.Program) -> list[Instance]:
        main = self._main(program)
        self._expand(main, "", {}, {}, self.scope.inside(), (), ())
        expanded = {main.name.text}
        # Applications that streams are imported from run too.
        for op in self.found:
            setting = op.node.setting("applicationName") if op.operator == "Import" else None
            name = getattr(setting.values[0], "value", "") if setting else ""
            other = self.composites.get(name.rpartition("::")[2])
            if other is not None and not other.inputs and other.name.text not in expanded:
                expanded.add(other.name.text)
                self._expand(other, f"{other.name.text}.", {}, {}, self.scope.inside(), (), ())
        return self.found

    def _main(self, program: syntax.Program) -> syntax.Composite:
        whole = [c for c in program.composites if not c.inputs and not c.outputs]
        if not whole:
            raise ProgramError("the program has no main composite", program.span,
                               help="write a composite without inputs and outputs")
        main = next((c for c in whole if c.name.text == "Main"), whole[-1])
        known = {f.name.text.removeprefix("$") for f in main.formals}
        for name in self.parameters:
            if known and name not in known:
                raise ProgramError(f"{main.name.text} has no parameter {name}", main.span,
                                   help=did_you_mean(name, known))
        return main

    def _declare_function(self, function: syntax.Function) -> None:
        known = self.functions.declared.setdefault(function.name.text, [])
        types = tuple(p.type for p in function.parameters)
        if any(types == tuple(p.type for p in f.parameters) for f, _ in known):
            raise ProgramError(f"the function {function.name.text} is declared twice",
                               function.span, help="functions of one name have other parameters")
        known.append((function, self.scope))

    # ------------------------------------------------------------------ types

    def _define(self, definitions: Iterable[syntax.TypeDefinition], scope: Scope) -> None:
        for each in definitions:
            if each.name.text in scope.types:
                raise ProgramError(f"the type {each.name.text} is defined twice", each.name.span)
            scope.types[each.name.text] = each
            only = each.parts[0].type if len(each.parts) == 1 else None
            if isinstance(only, syntax.EnumType):
                kind = EnumOf(tuple(n.text for n in only.names))
                for name in kind.names:
                    bound = Binding(kind, repr(name), constant=name)
                    scope.names[name] = scope.names[f"{each.name.text}.{name}"] = bound

    def types_in(self, scope: Scope, streams: Streams) -> Callable[[Node], SplType]:
        """What a type means in a composite: stream names are types too."""
        def resolve(node: Node) -> SplType:
            if isinstance(node, syntax.CollectionType):
                return Collection(node.kind, tuple(map(resolve, node.parts)), node.bound)
            if isinstance(node, syntax.OptionalType):
                return OptionalOf(resolve(node.item))
            if isinstance(node, syntax.TupleType):
                return self._tuple(node.parts, resolve)
            if isinstance(node, syntax.EnumType):
                return EnumOf(tuple(n.text for n in node.names))
            if isinstance(node, syntax.Name):
                node = syntax.PlainType(node.span, node.text)
            if not isinstance(node, syntax.PlainType):
                raise ProgramError("this is no type", node.span)
            return self._named(node, scope, streams, resolve)
        return resolve

    def _named(self, node: syntax.PlainType, scope: Scope, streams: Streams,
               resolve: Callable) -> SplType:
        if node.name in PRIMITIVES:
            return Primitive(node.name, node.bound)
        if node.name == "Sys.tm":
            return TIME_PARTS
        composite, _, part = node.name.rpartition(".")
        if composite in self.composites:
            inside = self.scope.inside()
            self._define(self.composites[composite].types, inside)
            return self.types_in(inside, Streams())(replace(node, name=part))
        name, around, known = node.name.rpartition("::")[2], scope, []
        while around is not None:
            known += around.types
            if name in around.types:
                return self._defined(node, around, name, resolve)
            around = around.outer
        if name in streams.types:
            return self._of_stream(node, name, streams)
        raise ProgramError(f"there is no type {node.name}", node.span,
                           help=did_you_mean(node.name, [*known, *streams.types, *PRIMITIVES]))

    def _of_stream(self, node: syntax.PlainType, name: str, streams: Streams) -> TupleOf:
        key = id(streams), name
        if key in self._looked_at:
            raise ProgramError(f"the stream {name} is made of itself", node.span)
        self._looked_at.add(key)
        try:
            return streams.types[name]()
        finally:
            self._looked_at.discard(key)

    def _defined(self, node: syntax.PlainType, scope: Scope, name: str, resolve: Callable
                 ) -> SplType:
        found = scope.types[name]
        if isinstance(found, SplType):
            return found
        if found is None:
            raise ProgramError(f"the type {name} is made of itself", node.span)
        scope.types[name] = None
        try:
            kind = self._tuple(found.parts, resolve) if len(found.parts) > 1 or (
                found.parts[0].name) else resolve(found.parts[0].type)
        except BaseException:
            scope.types[name] = found
            raise
        scope.types[name] = kind
        return kind

    @staticmethod
    def _tuple(parts: tuple[syntax.TuplePart, ...], resolve: Callable) -> TupleOf:
        fields: dict[str, SplType] = {}
        for part in parts:
            kind = resolve(part.type)
            if part.name is None and not isinstance(kind, TupleOf):
                raise ProgramError("this attribute has no name", part.span, got=str(kind),
                                   expected="a type and a name, or a tuple type")
            more = {part.name.text: kind} if part.name else kind.attributes
            for name, t in more.items():
                if name in fields:
                    raise ProgramError(f"the attribute {name} is there twice", part.span)
                fields[name] = t
        return TupleOf(tuple(fields.items()))

    # ------------------------------------------------------------------ graphs

    def _expand(self, composite: syntax.Composite, path: str, inputs: Mapping[str, Input],
                outputs: Mapping[str, Output], scope: Scope, notes: tuple, config: tuple,
                given: syntax.Invocation | None = None, giver: Scope | None = None,
                around: tuple[str, ...] = ()) -> None:
        streams = Streams()
        resolve = self.types_in(scope, streams)
        self._define(composite.types, scope)
        self._bind(composite, scope, given, giver, resolve)
        for name, port in inputs.items():
            streams.types[name] = lambda port=port: port.type
        declared = self._declare(composite, path, outputs, streams, resolve)
        for name in composite.outputs:
            if name.text not in declared:
                raise ProgramError(f"nothing in {composite.name.text} writes its output "
                                   f"{name.text}", name.span)
        for node in composite.graph:
            self._invoke(node, path, inputs, declared, streams, scope, resolve,
                         (*notes, *composite.notes), (*config, *composite.config), around)

    def _declare(self, composite: syntax.Composite, path: str, outputs: Mapping[str, Output],
                 streams: Streams, resolve: Callable) -> dict[str, Output]:
        """The streams that the graph of a composite writes."""
        declared: dict[str, Output] = {}
        for node in composite.graph:
            for port in node.outputs:
                name = port.name.text
                if name in declared or name in streams.types:
                    raise ProgramError(f"two streams are called {name}", port.span)
                streams.types[name] = lambda port=port: _as_tuple(resolve(port.type), port)
                declared[name] = port
        found = {}
        for name, port in declared.items():
            kind, alias = streams.types[name](), port.alias.text if port.alias else ""
            if name in outputs:
                outer = outputs[name]
                if outer.type != kind:
                    raise ProgramError(f"{outer.name} is of another type than {name} inside",
                                       outer.span, expected=str(kind), got=str(outer.type))
                found[name] = Output(name, outer.stream, kind, port.span, alias)
            else:
                found[name] = Output(name, self._unique(path + name), kind, port.span, alias)
        return found

    def _bind(self, composite: syntax.Composite, scope: Scope, given: syntax.Invocation | None,
              giver: Scope | None, resolve: Callable) -> None:
        """Gives the parameters of a composite their values."""
        settings = {s.name.text: s for s in given.parameters} if given else {}
        for formal in composite.formals:
            name = formal.name.text
            setting = settings.pop(name.removeprefix("$"), None) or settings.pop(name, None)
            values, where = (setting.values, giver) if setting else (formal.default, scope)
            if not given and name.removeprefix("$") in self.parameters:
                values = (_literal(self.parameters[name.removeprefix("$")], formal, resolve),)
            if values is None:
                raise ProgramError(f"{composite.name.text} wants a value for {name}",
                                   given.span if given else formal.span,
                                   help=None if given else f"--set {name.removeprefix('$')}=VALUE")
            if formal.mode == "type":
                scope.types[name] = self.types_in(where, Streams())(values[0])
            scope.names[name] = Substitute(values[0], where if formal.mode == "expression"
                                           else None)
        for left in settings.values():
            raise ProgramError(f"{composite.name.text} has no parameter {left.name.text}",
                               left.name.span, help=did_you_mean(
                                   left.name.text, [f.name.text.removeprefix("$")
                                                    for f in composite.formals]))

    def _invoke(self, node: syntax.Invocation, path: str, inputs: Mapping[str, Input],
                declared: dict[str, Output], streams: Streams, scope: Scope, resolve: Callable,
                notes: tuple, config: tuple, around: tuple[str, ...]) -> None:
        ports = tuple(self._input(node, port, inputs, declared) for port in node.inputs)
        outputs = tuple(declared[port.name.text] for port in node.outputs)
        operator = self._operator(node, scope)
        node = _by_streams(node, outputs)
        everything = (*notes, *node.notes), (*config, *node.config)
        if operator not in self.composites:
            name = outputs[0].stream if outputs and not node.alias else self._unique(
                path + node.name)
            self.found.append(Instance(name, operator, node, ports, outputs, scope, resolve,
                                       *everything))
            return
        composite = self.composites[operator]
        if operator in around:
            raise ProgramError(f"{operator} contains itself", node.span)
        _same_count(composite.inputs, ports, node, "input")
        _same_count(composite.outputs, outputs, node, "output")
        self._expand(composite, f"{path}{node.name}.",
                     {n.text: Input(n.text, p.streams, p.type, p.span)
                      for n, p in zip(composite.inputs, ports, strict=True)},
                     {n.text: o for n, o in zip(composite.outputs, outputs, strict=True)},
                     self.scope.inside(), *everything, node, scope, (*around, operator))

    def _operator(self, node: syntax.Invocation, scope: Scope) -> str:
        name = node.operator.text
        found = scope.find(name)
        if isinstance(found, Substitute) and isinstance(found.node, syntax.Name):
            name = found.node.text
        short = name.rpartition("::")[2]
        if short not in self.composites and short not in self.operators:
            raise ProgramError(f"there is no operator {name}", node.operator.span,
                               help=did_you_mean(short, [*self.composites, *self.operators]))
        return short

    def _input(self, node: syntax.Invocation, port: syntax.InputPort, inputs: Mapping[str, Input],
               declared: dict[str, Output]) -> Input:
        found: list[str] = []
        kinds: list[TupleOf] = []
        for stream in port.streams:
            name = stream.text
            if name in inputs:
                found += inputs[name].streams
                kinds.append(inputs[name].type)
            elif name in declared:
                found.append(declared[name].stream)
                kinds.append(declared[name].type)
            else:
                raise ProgramError(f"there is no stream {name}", stream.span,
                                   help=did_you_mean(name, [*declared, *inputs]))
            if kinds[-1] != kinds[0]:
                raise ProgramError("the streams of a port are of one type", stream.span,
                                   expected=str(kinds[0]), got=str(kinds[-1]))
        if not found:
            raise ProgramError("this input port has no stream", node.operator.span)
        alias = port.alias.text if port.alias else port.streams[0].text
        return Input(alias, tuple(found), kinds[0], port.span)

    def _unique(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self._names:
            count += 1
            name = f"{wanted}_{count}"
        self._names.add(name)
        return name


PRIMITIVES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
              "float64", "decimal32", "decimal64", "decimal128",
              "complex32", "complex64", "boolean", "rstring", "ustring",
              "timestamp", "blob")


def _by_streams(node: syntax.Invocation, outputs: tuple[Output, ...]) -> syntax.Invocation:
    """An invocation whose output clause names ports by their streams, and not by other names."""
    names = {o.alias: o.name for o in outputs if o.alias}
    clauses = tuple(replace(c, port=replace(c.port, text=names.get(c.port.text, c.port.text)))
                    for c in node.assignments)
    return replace(node, assignments=clauses) if names else node


def _as_tuple(kind: SplType, port: syntax.OutputPort) -> TupleOf:
    if not isinstance(kind, TupleOf):
        raise ProgramError("a stream is of tuples", port.span, got=str(kind))
    return kind


def _same_count(wanted: tuple, given: tuple, node: syntax.Invocation, what: str) -> None:
    if len(wanted) != len(given):
        raise ProgramError(f"{node.operator.text} has {len(wanted)} {what} ports", node.span,
                           got=str(len(given)))


def _literal(text: str, formal: syntax.Formal, resolve: Callable) -> Node:
    """The literal for a value that the command line gives."""
    kind = resolve(formal.type) if formal.type else RSTRING
    if kind == RSTRING:
        return syntax.Text(formal.span, text, "")
    if text in ("true", "false"):
        return syntax.Truth(formal.span, text == "true")
    try:
        return syntax.Number(formal.span, float(text) if "." in text else int(text), "")
    except ValueError:
        raise ProgramError(f"the value of {formal.name.text} is of another type", formal.span,
                           expected=str(kind), got=repr(text)) from None
