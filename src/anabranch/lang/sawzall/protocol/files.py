"""Files of protocol buffers, as declarations of the types of their messages.

    message Point { required int32 x = 1; repeated Point near = 2; }

is `type Point = parsedmessage { x: int @ 1: int32, near: array of Point @ 2 };`. What an
enumeration declares are integers with names, and a map of these names.

A message may hold others that are declared later; where messages hold each other in turn, one of
them has the bytes of the other, which convert to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from lark import Lark, v_args

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import BYTES, FLOAT, INT, STR
from anabranch.lang.common import parser as reading
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.types import UINT

BASIC = {"double": "float", "float": "float", "int64": "int", "uint64": "uint", "int32": "int",
         "uint32": "uint", "fixed64": "uint", "fixed32": "uint", "sfixed32": "int",
         "sfixed64": "int", "sint32": "int", "sint64": "int", "bool": "bool", "string": "string",
         "bytes": "bytes"}
RESERVED = frozenset({
    "all", "and", "array", "bool", "break", "bytes", "case", "continue", "default", "do", "each",
    "else", "emit", "file", "fingerprint", "float", "for", "format", "function", "if", "include",
    "int", "map", "not", "of", "or", "parsedmessage", "proc", "proto", "rest", "return", "skip",
    "some", "static", "string", "submatch", "switch", "table", "time", "type", "weight", "when",
    "while"})
"""Names that a program could not say; they get a line below."""
WORDS = {"LABEL": "'required', 'optional' or 'repeated'", "MESSAGE": "'message'", "ENUM": "'enum'",
         "EQUAL": "'='"}


@dataclass(frozen=True)
class ProtoField:
    """A field: its type is basic, or another's by its name; None for a map."""

    span: Span
    name: str
    kind: tuple[str, ...] | None
    tag: int
    repeated: bool
    default: object = None
    group: bool = False


@dataclass(frozen=True)
class ProtoEnum:
    span: Span
    name: str
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ProtoMessage:
    """What stands in a message: fields, messages, groups and enumerations."""

    span: Span
    name: str
    parts: tuple[object, ...]
    group: bool = False

    def each(self, kind: type) -> list:
        return [part for part in self.parts if isinstance(part, kind)]


@dataclass(frozen=True)
class ProtoFile:
    """What a file declares, and the files that it imports."""

    package: tuple[str, ...]
    imports: tuple[tuple[str, Span], ...]
    parts: tuple[object, ...]


@cache
def _parser() -> Lark:
    return reading.parser(Path(__file__).with_name("proto.lark"))


def read(text: str, file: str) -> ProtoFile:
    """A file of protocol buffers."""
    return reading.read(text, file, _parser(), ProtoReader(file), WORDS)


class ProtoReader(reading.Reader):
    """One method for each rule of these files; what declares no type is None."""

    def start(self, children):
        parts = [c for c in children if isinstance(c, (ProtoMessage, ProtoEnum))]
        packages = [c for c in children if isinstance(c, Package)]
        imports = [c for c in children if isinstance(c, Imported)]
        return ProtoFile(packages[-1].name if packages else (),
                         tuple((each.path, each.span) for each in imports), tuple(parts))

    def setting(self, children):
        return None

    block = setting

    def package(self, children):
        return Package(children[0])

    @v_args(meta=True)
    def imported(self, meta, children):
        return Imported(self.span(meta), str(children[-1])[1:-1])

    def dotted(self, children):
        return tuple(map(str, children))

    def named(self, children):
        return children[0] if isinstance(children, list) else super().named(children)

    def map_kind(self, children):
        return None

    @v_args(meta=True)
    def message(self, meta, children):
        return ProtoMessage(self.span(meta), str(children[0]), _flat(children[1:]))

    def oneof(self, children):
        return _flat(children[1:])

    @v_args(meta=True)
    def field(self, meta, children):
        label, kind, name, tag, options = children
        return ProtoField(self.span(meta), str(name), kind, int(tag, 0), label == "repeated",
                          options)

    @v_args(meta=True)
    def group(self, meta, children):
        label, name, tag, _, *parts = children
        span = self.span(meta)
        return (ProtoMessage(span, str(name), _flat(parts), group=True),
                ProtoField(span, str(name), (str(name),), int(tag, 0), label == "repeated",
                           group=True))

    def options(self, children):
        return next((value for value in children if value is not None), None)

    def option(self, children):
        return children[-1] if str(children[0]) == "default" else None

    def word(self, children):
        return str(children[0])

    def number(self, children):
        return children[0]

    def signed(self, children):
        sign, text = children[0], str(children[1])
        if not text[:1].isdigit() and not text.startswith("."):
            value = float(text)
        elif text.isdigit() or text[:2].lower() == "0x":
            value = int(text, 8 if text[0] == "0" and text.isdigit() and len(text) > 1 else 0)
        else:
            value = float(text)
        return -value if sign == "-" else value

    def text(self, children):
        from anabranch.lang.sawzall.parser import text

        return ("".join(text(f'"{str(c)[1:-1]}"') for c in children),)

    @v_args(meta=True)
    def enumeration(self, meta, children):
        return ProtoEnum(self.span(meta), str(children[0]), tuple(filter(None, children[1:])))

    def value(self, children):
        return str(children[0]), int(children[1])


@dataclass(frozen=True)
class Package:
    name: tuple[str, ...]


@dataclass(frozen=True)
class Imported:
    span: Span
    path: str


def _flat(parts: list) -> tuple[object, ...]:
    """The parts of a message; a group is two, those of a `oneof` as many as there are."""
    found: list[object] = []
    for part in parts:
        found += _flat(list(part)) if isinstance(part, tuple) else [] if part is None else [part]
    return tuple(found)


@dataclass
class Declarations:
    """The declarations that the files read so far come to; `messages` and `enums` are known by
    their full names."""

    messages: dict[tuple[str, ...], ProtoMessage] = field(default_factory=dict)
    enums: dict[tuple[str, ...], ProtoEnum] = field(default_factory=dict)
    declared: set[tuple[str, ...]] = field(default_factory=set)

    def of(self, file: ProtoFile) -> tuple[Node, ...]:
        """The declarations of the types of a file."""
        for part in file.parts:
            self._enter(part, file.package)
        enums = [p for p in file.parts if isinstance(p, ProtoEnum)]
        found = [syntax.TypeDeclaration(enum.span, _name(enum.span, (*file.package, enum.name)),
                                        syntax.TupleKind(enum.span, (), tuple(_enum(enum, {})),
                                                         message=True)) for enum in enums]
        messages = {(*file.package, p.name): p for p in file.parts if isinstance(p, ProtoMessage)}
        for path in self._in_order(messages):
            found.append(self._message(path, messages[path]))
            self.declared.add(path)
        return tuple(found)

    def _enter(self, part: object, around: tuple[str, ...]) -> None:
        path = (*around, part.name) if isinstance(part, (ProtoMessage, ProtoEnum)) else around
        if isinstance(part, ProtoEnum):
            self.enums[path] = part
        elif isinstance(part, ProtoMessage):
            self.messages[path] = part
            for inner in part.parts:
                self._enter(inner, path)

    def _in_order(self, messages: dict) -> Iterator[tuple[str, ...]]:
        """The messages, each behind those that it holds as far as that can be."""
        seen: set = set()

        def visit(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
            if path in seen or path not in messages:
                return
            seen.add(path)
            for other in self._held(path, messages[path]):
                yield from visit(other[:len(path)])
            yield path
        for path in messages:
            yield from visit(path)

    def _held(self, path: tuple[str, ...], message: ProtoMessage) -> Iterator[tuple[str, ...]]:
        for each in message.each(ProtoField):
            found = self.resolved(each, path)
            if found is not None:
                yield found
        for inner in message.each(ProtoMessage):
            yield from self._held((*path, inner.name), inner)

    def resolved(self, each: ProtoField, around: tuple[str, ...]) -> tuple[str, ...] | None:
        """The full name of the type of a field: the innermost one of its name."""
        if each.kind is None or "".join(each.kind) in BASIC:
            return None
        for count in range(len(around), -1, -1):
            path = (*around[:count], *each.kind)
            if path in self.messages or path in self.enums:
                return path
        raise ProgramError(f"there is no message '{'.'.join(each.kind)}'", each.span)

    def _message(self, path: tuple[str, ...], message: ProtoMessage, inside: bool = False
                 ) -> syntax.TypeDeclaration:
        span, fields = message.span, message.each(ProtoField)
        names = {_said(each.name.lower()) for each in fields}
        enums = message.each(ProtoEnum)
        names |= {_said(name) for enum in enums for name, _ in enum.values}
        members: list[Node] = []
        for enum in enums:
            members += _enum(enum, names)
        members += [] if inside else _tags(message)
        members += [self._message((*path, inner.name), inner, True)
                    for inner in message.each(ProtoMessage)]
        parts = tuple(self._field(each, path) for each in fields)
        kind = syntax.TupleKind(span, parts, tuple(members), message=not message.group)
        return syntax.TypeDeclaration(span, _name(span, path[-1:] if inside else path), kind)

    def _field(self, each: ProtoField, around: tuple[str, ...]) -> syntax.Part:
        form = "".join(each.kind or ("bytes",))
        path = self.resolved(each, around)
        if path in self.enums:
            kind, form = _name(each.span, self._enum_name(path, around)), "int32"
        elif path is not None and not self._is_known(path, around, each):
            kind, form = _name(each.span, ("bytes",)), "bytes"
        elif path is not None:
            kind, form = _name(each.span, path), None
        else:
            kind = _name(each.span, (BASIC.get(form, "bytes"),))
        if each.repeated or each.kind is None:
            kind = syntax.ArrayKind(each.span, kind)
        default = None if each.default is None or each.repeated else self._default(each, path)
        return syntax.Part(each.span, _name(each.span, (_said(each.name.lower()),)), kind, each.tag,
                           default, None if form is None else _name(each.span, (form,)))

    def _enum_name(self, path: tuple[str, ...], around: tuple[str, ...]) -> tuple[str, ...]:
        """The type of an enumeration: one of its own inside of a message, else an integer."""
        if path[:-1] not in self.messages:
            return ("int",)
        owner = self.messages[path[:-1]]
        taken = {_said(f.name.lower()) for f in owner.each(ProtoField)} | {
            _said(name) for enum in owner.each(ProtoEnum) for name, _ in enum.values}
        known = path[:-1] in self.declared or path[:-1] == around[:len(path) - 1]
        return (*path[:-1], _enum_type(path[-1], taken)) if known else ("int",)

    def _is_known(self, path: tuple[str, ...], around: tuple[str, ...], each: ProtoField) -> bool:
        """Whether the type is declared by now, or is one around the field that it repeats."""
        outer = around[:len(path)] == path
        if outer:
            return each.repeated
        top = next((known for known in self.declared if path[:len(known)] == known), None)
        if top is not None:
            return True
        owner = path[:-1]
        if owner != around[:len(owner)] or owner not in self.messages:
            return False
        # Beside the field or around it: it is declared if it stands before what the field is in.
        inner = [m.name for m in self.messages[owner].each(ProtoMessage)]
        if owner == around:
            return True
        return inner.index(path[-1]) < inner.index(around[len(owner)])

    def _default(self, each: ProtoField, path: tuple[str, ...] | None) -> Node:
        value, span = each.default, each.span
        if path in self.enums:
            value = dict(self.enums[path].values).get(value, value)
        if isinstance(value, tuple):
            [text] = value
            return Literal(span, text, STR) if each.kind == ("string",) else \
                Literal(span, text.encode("latin-1", "replace"), BYTES)
        if value in ("true", "false"):
            return _name(span, (value,))
        try:
            basic = BASIC.get("".join(each.kind), "int")
            kind = {"float": FLOAT, "uint": UINT}.get(basic, INT)
            number = float(value) if kind == FLOAT else int(value)
        except (TypeError, ValueError):
            raise ProgramError("this is no default value of the field", span,
                               got=str(value)) from None
        literal = Literal(span, abs(number), kind)
        return literal if number >= 0 or number != number else Operation(span, "-", (literal,))


def _said(name: str) -> str:
    return f"{name}_" if name in RESERVED else name


def _enum_type(name: str, taken) -> str:
    name = _said(name)
    return f"{name}_" if name in taken else name


def _name(span: Span, parts: tuple[str, ...]) -> Name:
    return Name(span, tuple(map(_said, parts)) if len(parts) > 1 else parts)


def _enum(enum: ProtoEnum, taken) -> Iterator[Node]:
    """An integer type, its values, and the map of their names."""
    span, kind = enum.span, _name(enum.span, (_enum_type(enum.name, taken),))
    yield syntax.TypeDeclaration(span, kind, _name(span, ("int",)))
    for name, value in enum.values:
        yield syntax.Variable(span, _name(span, (_said(name),)), kind, _integer(span, value), True)
    names = {value: name for name, value in enum.values}
    yield _static_map(span, f"{enum.name}_names", "int", "string",
                      [(_integer(span, v), Literal(span, n, STR)) for v, n in names.items()])


def _tags(message: ProtoMessage) -> Iterator[Node]:
    """The tags of the fields by their names."""
    span = message.span
    pairs = {"ErrorCode": 0, **{f.name: f.tag for f in message.each(ProtoField)}}
    if len(pairs) > 2:
        yield _static_map(span, "tagnames", "string", "int", [
            (Literal(span, name, STR), _integer(span, tag)) for name, tag in pairs.items()])


def _static_map(span: Span, name: str, key: str, value: str, pairs: list) -> Node:
    kind = syntax.MapKind(span, _name(span, (key,)), _name(span, (value,)))
    return syntax.Variable(span, _name(span, (name,)), kind,
                           syntax.MapLiteral(span, tuple(pairs)), True)


def _integer(span: Span, value: int) -> Node:
    literal = Literal(span, abs(value), INT)
    return literal if value >= 0 else Operation(span, "-", (literal,))
