"""Each kind of operator as a native function that hands outputs to the next one's."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from anabranch.analysis.syntax import FunctionSyntax, syntax_of
from anabranch.analysis.typing.types import fields_of_class
from anabranch.core.source import Span
from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply, Filter, FlatMap, Map
from anabranch.ir.records import Record
from anabranch.ir.types import OptionalOf, RecordOf, without_none
from anabranch.kernels.native.state.carrier import StateCarrier
from anabranch.kernels.native.state.containers import Holder, HoldingCarrier
from anabranch.kernels.native.state.layout import StateField, StateTable, key_words, opening
from anabranch.kernels.native.translate.body import Body, Registry
from anabranch.kernels.native.translate.statements import Giving, items, translate
from anabranch.kernels.native.translate.values import (
    DTYPES,
    KINDS,
    ZEROS,
    Rec,
    Shape,
    Unsupported,
    Value,
    constant,
    flag,
    is_held,
    leaves,
    within,
)
from anabranch.kernels.native.translate.walk import shape_of, truth


@dataclass
class OutputSite:
    """A place that hands an item on; what it passes is settled when all such places are known."""

    body: Body
    given: Shape


@dataclass
class OperatorCode:
    """An operator as native functions: for an item, and for a key at the end of the input."""

    lines: list
    end: list | None = None
    table: StateTable | None = None
    sites: list[OutputSite] = field(default_factory=list)
    inner: list[StateTable] = field(default_factory=list)

    def giving(self, **more) -> Giving:
        return Giving(item=self.hand_on, **more)

    def hand_on(self, body: Body, given: Shape) -> None:
        site = OutputSite(body, given)
        self.sites.append(site)
        body.write(site)


def begin(function: Function, given: list[Shape], registry: Registry) -> Body:
    syntax = syntax_of(function.call)
    if not isinstance(syntax, FunctionSyntax):
        raise Unsupported(syntax.reason, function.span)
    if len(syntax.parameters) < len(given):
        raise Unsupported("does not name all of its parameters", function.span)
    body = Body(syntax, dict(zip(syntax.parameters, given)), registry)
    for name, value in syntax.defaults.items():
        if name not in body.names:
            known = body.known(value)
            if isinstance(known, Value):
                body.names[name] = known
                body.assigned.add(name)
    return body


def write_filter(op: Operator, item: Shape, registry: Registry) -> OperatorCode:
    written, body = OperatorCode([]), begin(op.kind.function, [item], registry)

    def returned(body: Body, node: ast.expr) -> None:
        body.write(f"if {truth(body, node)}:")
        with body.indented():
            written.hand_on(body, item)
    return _translated(written, body, Giving(_no_yield(body), returned))


def write_map(op: Operator, item: Shape, registry: Registry) -> OperatorCode:
    written, body = OperatorCode([]), begin(op.kind.function, [item], registry)

    def returned(body: Body, node: ast.expr) -> None:
        written.hand_on(body, shape_of(body, node))
    return _translated(written, body, Giving(_no_yield(body), returned))


def _no_yield(body: Body):
    if body.syntax.is_generator:
        raise Unsupported("gives a generator", body.syntax.span)
    return


def write_flat_map(op: Operator, item: Shape, registry: Registry) -> OperatorCode:
    written, body = OperatorCode([]), begin(op.kind.function, [item], registry)
    giving = Giving(written.hand_on, lambda body, node: items(body, giving, node))
    return _translated(written, body, giving)


def _translated(written: OperatorCode, body: Body, giving: Giving) -> OperatorCode:
    written.lines = body.lines
    translate(body, giving)
    return written


def write_apply(op: Operator, item: Shape, registry: Registry, table: int, place: int,
                logs: bool) -> OperatorCode:
    """A user's operator: its state is loaded into variables, and stored before it ends."""
    if not op.kind.stateful:
        return write_flat_map(op, item, registry)
    words, key = key_words(Body(None, {}, registry), item, op.kind.by)
    holder = Holder(place, len(words) or 1, key, table + 1, [])
    state = state_shape(op.kind.state, op.kind.function.span, holder=holder)
    body = begin(op.kind.function, [state, item], registry)
    fields = tuple(first_fields(op.kind.state, state, registry))
    carrier = (HoldingCarrier if holder.tables else StateCarrier)(state)
    written = OperatorCode(body.lines, inner=holder.tables, table=StateTable(
        table, place, holder.words, fields, key, carrier, logs))
    _name_words(body, written, words or ["0"])
    for line in opening(written.table, words):
        body.write(line)
    body.write("mine = here")
    _load(body, written.table, "mine")
    translate(body, written.giving(leave=lambda body: _keep(body, written.table)))
    if op.kind.at_end:
        written.end = _at_end(op.kind, state, registry, written)
    return written


def _at_end(kind: Apply, state: Rec, registry: Registry, written: OperatorCode) -> list:
    keys, words = written.table.array("keys"), range(written.table.words)
    key = [_key_given(kind, written.table.key.parts, keys)] if kind.key else []
    body = begin(kind.at_end, [state, *key], registry)
    _name_words(body, written, [f"{keys}[i, {n}]" for n in words])
    _load(body, written.table, "i")
    translate(body, written.giving(
        returned=lambda body, node: items(body, written.giving(), node)))
    return body.lines


def _key_given(kind: Apply, parts: tuple, keys: str) -> Rec:
    """The key of a slot as a record: the words of plain values are what they hold."""
    for name, part in zip(kind.by, parts, strict=True):
        if not isinstance(part, Value) or part.none or part.kind not in ("int", "str", "time"):
            raise Unsupported(f"gives the key {name} to what comes at the end", kind.at_end.span)
    return Rec(kind.key, {name: Value(part.kind, f"{keys}[i, {n}]")
                          for n, (name, part) in enumerate(zip(kind.by, parts, strict=True))})


def _name_words(body: Body, written: OperatorCode, words: list[str]) -> None:
    """Keeps the words of the key for the collections inside of the state."""
    if written.inner:
        for n, word in enumerate(words):
            body.write(f"word{n} = int64({word})")


def _load(body: Body, table: StateTable, slot: str) -> None:
    for f in table.fields:
        body.write(f"{f.name} = {table.array(f.name)}[{slot}]")


def _keep(body: Body, table: StateTable) -> None:
    for f in table.fields:
        body.write(f"{table.array(f.name)}[mine] = {f.name}")


def state_shape(cls: type, span: Span | None, prefix: str = "s",
                holder: Holder | None = None) -> Rec:
    """The variables that hold a state while a function runs; with a holder it may have dicts."""
    fields: dict[str, Shape] = {}
    for name, declared in fields_of_class(cls).items():
        variable = within(prefix, name)
        if isinstance(declared, RecordOf) and issubclass(declared.cls, Record):
            fields[name] = state_shape(declared.cls, span, variable)
            continue
        held = holder and holder.collection(declared, cls.__record_fields__[name], variable)
        if held:
            fields[name] = held
            continue
        scalar = KINDS.get(without_none(declared))
        if scalar is None:
            raise Unsupported(f"the state {cls.__name__}.{name} is {declared}", span)
        optional = isinstance(declared, OptionalOf)
        none = (f"({variable} < 0)" if scalar == "str" else flag(variable)) if optional else None
        fields[name] = Value(scalar, variable, none)
    return Rec(cls, fields)


PYTHON = {"bool": bool, "int": int, "float": float, "str": str}


def first_fields(cls: type, state: Rec, registry: Registry, prefix: str = "s") -> list[StateField]:
    """The arrays of a state, with the values that a new one starts with."""
    fields = []
    for (variable, value), (name, first) in zip(leaves(state, prefix), _starts(cls, state)):
        if not _fits(value, first):
            raise Unsupported(f"the state {cls.__name__}.{name} is {value.kind} "
                              f"and starts as {first!r}")
        fields.append(StateField(variable, DTYPES[value.kind], _first(value, first, registry),
                            is_text=value.kind == "str"))
        if value.flagged:
            fields.append(StateField(flag(variable), "bool", str(first is None)))
    return fields


def _starts(cls: type, state: Rec) -> list[tuple[str, object]]:
    """The first value of each scalar of a state, with its name."""
    found = []
    for name, first in cls.__record_fields__.items():
        shape = state.fields[name]
        found += ([(name, 0)] if is_held(shape) else [(name, first)] if isinstance(shape, Value)
                  else _parts(name, shape, first))
    return found


def _parts(name: str, shape: Rec, first: object) -> list[tuple[str, object]]:
    if type(first) is not shape.cls:
        raise Unsupported(f"the state {name} is a {shape.cls.__name__} and starts as {first!r}")
    found = []
    for part, inner in shape.fields.items():
        value, path = getattr(first, part), f"{name}.{part}"
        found += [(path, value)] if isinstance(inner, Value) else _parts(path, inner, value)
    return found


def _fits(value: Value, first: object) -> bool:
    if first is None:
        return value.none is not None
    return type(first) is PYTHON.get(value.kind) and (type(first) is str or constant(first))


def _first(value: Value, first: object, registry: Registry) -> str:
    if first is None:
        return ZEROS[value.kind]
    return (registry.text(first) if value.kind == "str" else constant(first)).code


WRITERS = {Filter: write_filter, Map: write_map, FlatMap: write_flat_map}


def write_split(op: Operator, item: Shape, registry: Registry) -> OperatorCode:
    """Hands on port numbers; the items themselves need not be touched."""
    body = Body(None, {}, registry)
    written = OperatorCode(body.lines)
    for port, predicate in enumerate(op.kind.predicates):
        body.write(f"if {_condition(predicate, item, body)}:")
        with body.indented():
            written.hand_on(body, constant(port))
            body.write("return")
    written.hand_on(body, constant(len(op.kind.predicates)))
    return written


def _condition(predicate: Function, item: Shape, body: Body) -> str:
    inner = begin(predicate, [item], body.registry)
    found = _returned(inner.syntax.node)
    if found is None:
        raise Unsupported(f"asks {predicate.name}, which is more than an expression",
                          predicate.span)
    code = truth(inner, found)
    body.lines += inner.lines
    return code


def _returned(node: ast.AST) -> ast.expr | None:
    """The expression that a function consists of, if that is all."""
    if isinstance(node, ast.Lambda):
        return node.body
    [first, *more] = node.body
    return first.value if isinstance(first, ast.Return) and not more else None
