"""Which tuples are messages: the checks of a declaration, `proto T`, and their codes.

A tuple is a message if its fields have tags. `proto T` is the message that has the fields of `T`
and tags from 1 on.
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, Scalar, Type
from anabranch.lang.common.syntax import Literal, Node, Operation
from anabranch.lang.common.terms import Constant, Term
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.library.messages import FieldCode, MessageCode
from anabranch.lang.sawzall.types import (
    FINGERPRINT,
    TIME,
    UINT,
    ArrayOf,
    MapOf,
    Named,
    TupleOf,
    Wire,
    is_message,
    plain,
    shown,
)

FORMS = {
    "double": (FLOAT,), "float": (FLOAT,), "int64": (INT, UINT), "uint64": (INT, UINT),
    "int32": (INT,), "uint32": (INT, UINT), "fixed32": (INT, UINT),
    "fixed64": (INT, UINT, FINGERPRINT, TIME), "bool": (BOOL,), "boolean": (BOOL,),
    "string": (BYTES, STR), "bytes": (BYTES, STR), "sint32": (INT,), "sint64": (INT,),
    "sfixed32": (INT,), "sfixed64": (INT,),
}
"""What may be written in a form."""
USUAL = {BOOL: "bool", INT: "int64", UINT: "uint64", FINGERPRINT: "fixed64", TIME: "fixed64",
         FLOAT: "double", BYTES: "bytes", STR: "string"}
ZEROS = {BOOL: False, FLOAT: 0.0, BYTES: b"", STR: ""}
WIDEST = 100_000
"""So far apart may the tags of a message be."""


def wires_of(node: syntax.TupleKind, items: tuple[Type, ...],
             constant: Callable[[Node, Type], Term]) -> tuple[Wire, ...] | None:
    """How the fields of a tuple are written, if it is a message; `constant` checks what a field is
    where it is absent."""
    tagged = [part for part in node.parts if part.tag is not None]
    if not tagged and not (node.message and not node.parts):
        if node.message:
            raise ProgramError("a field of a message needs a tag", node.parts[0].span,
                               help="write `name: type @ 1`")
        return None
    untagged = next((part for part in node.parts if part.tag is None), None)
    if untagged is not None:
        raise ProgramError("a message has a tag for each of its fields", untagged.span)
    _check_tags(tagged)
    return tuple(_wire(part, item, constant) for part, item in zip(node.parts, items))


def _check_tags(parts: list[syntax.Part]) -> None:
    seen: set[int] = set()
    for part in parts:
        if part.name is None:
            raise ProgramError("a field of a message needs a name", part.span)
        if part.tag in seen:
            raise ProgramError(f"two fields have the tag {part.tag}", part.span)
        seen.add(part.tag)
    if seen and max(seen) - min(seen) >= WIDEST:
        last = max(parts, key=lambda part: part.tag)
        raise ProgramError("the tags of a message are too far apart", last.span,
                           expected=f"tags within {WIDEST:,}", got=f"{min(seen)} to {max(seen)}")


def _wire(part: syntax.Part, item: Type, constant: Callable[[Node, Type], Term]) -> Wire:
    basic, arrays = _item(item)
    _check_field(part, basic)
    if part.form is not None:
        _check_form(part, item if arrays > 1 else basic)
    default = None if part.default is None else _default(part, item, constant)
    return Wire(part.tag, None if part.form is None else str(part.form), default)


def _item(kind: Type) -> tuple[Type, int]:
    """The type of the items of an array, and of those of arrays in it, and how many arrays."""
    depth = 0
    while isinstance(plain(kind), ArrayOf):
        kind, depth = plain(kind).item, depth + 1
    return plain(kind), depth


def _check_field(part: syntax.Part, kind: Type) -> None:
    if isinstance(kind, TupleOf) and not is_message(kind):
        raise ProgramError("a tuple in a message is one, too", part.span, got=shown(kind),
                           help="give its fields tags, or write `proto` before its type")
    if not isinstance(kind, (Scalar, TupleOf, Named)):
        raise ProgramError("this cannot be a field of a message", part.span, got=shown(kind),
                           expected="a basic type, a message, or an array of them")


def _check_form(part: syntax.Part, kind: Type) -> None:
    name = str(part.form)
    if name not in FORMS:
        raise ProgramError(f"there is no form '{name}' of a field", part.form.span,
                           help=did_you_mean(name, FORMS))
    if kind not in FORMS[name]:
        raise ProgramError(f"{shown(kind)} cannot be written as {name}", part.form.span,
                           expected=" or ".join(f for f, kinds in FORMS.items() if kind in kinds)
                           or "no form")


def _default(part: syntax.Part, item: Type, constant: Callable[[Node, Type], Term]) -> object:
    node, kind = part.default, plain(item)
    if not isinstance(kind, Scalar):
        raise ProgramError("only a basic type has a default value", node.span, got=shown(kind))
    if isinstance(node, syntax.Composite) and not node.items and kind in (STR, BYTES):
        return ZEROS[kind]
    if str(node) in ("true", "false") and kind == BOOL:
        return str(node) == "true"
    operand = node.operands[-1] if isinstance(node, Operation) else node
    term = constant(node, item) if isinstance(operand, Literal) else None
    if isinstance(term, Constant):
        return term.value
    if isinstance(operand, Literal) and kind == FLOAT and len(node.operands) == 1:
        return -operand.value
    raise ProgramError("the default value of a field is a literal", node.span)


def proto_of(kind: Type, made: dict[int, Named] | None = None) -> Type:
    """`proto T`: a type whose tuples are messages; the type itself where that cannot be."""
    made = {} if made is None else made
    if isinstance(kind, ArrayOf):
        item = proto_of(kind.item, made)
        return kind if item is kind.item else ArrayOf(item)
    found = plain(kind)
    if isinstance(kind, Named) and isinstance(found, ArrayOf):
        return proto_of(found, made)
    if not isinstance(found, TupleOf) or is_message(found):
        return kind
    if id(found) in made:
        return made[id(found)]
    named = kind if isinstance(kind, Named) else Named("proto", id(found))
    own = made[id(found)] = Named(named.name, named.number)
    items = tuple(proto_of(item, made) for item in found.items)
    wires = tuple(Wire(tag) for tag in range(1, len(items) + 1))
    message = TupleOf(found.names, items, found.members, wires, delimited=True)
    own.definition.append(message)
    return own if isinstance(kind, Named) else message


def unwritable(kind: Type, seen: frozenset[int] = frozenset()) -> Type | None:
    """A part of a type that no protocol buffer has."""
    found = plain(kind)
    if id(found) in seen:
        return None
    if isinstance(found, ArrayOf):
        return unwritable(found.item, seen)
    if isinstance(found, TupleOf):
        parts = (unwritable(item, seen | {id(found)}) for item in found.items)
        return next((part for part in parts if part is not None), None)
    return None if isinstance(found, (Scalar, Named)) and not isinstance(found, MapOf) else found


def code_of(kind: Type, known: dict[int, MessageCode] | None = None) -> MessageCode:
    """How a message is written and read."""
    known = {} if known is None else known
    found = plain(kind)
    if id(found) not in known:
        known[id(found)] = code = MessageCode([], found.delimited)
        code.fields += [_field(item, wire, known) for item, wire in zip(found.items, found.wires)]
    return known[id(found)]


def _field(kind: Type, wire: Wire, known: dict[int, MessageCode]) -> FieldCode:
    item, arrays = _item(kind)
    repeated, depth = arrays > 0, max(0, arrays - 1)
    if isinstance(item, TupleOf):
        return FieldCode(wire.tag, "", "", None, repeated, code_of(item, known), depth)
    default = ZEROS.get(item, 0) if wire.default is None else wire.default
    form = "bool" if wire.form == "boolean" else wire.form or USUAL[item]
    names = {STR: "string", BYTES: "bytes", FLOAT: "float", BOOL: "bool", INT: "int"}
    return FieldCode(wire.tag, names.get(item, "uint"), form, default, repeated, None, depth)
