"""Finds output items that copy the input: `t`, `t.replace(...)`, `Out(t.uid, 1)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anabranch.analysis.fact import Forwarding
from anabranch.analysis.scope import bindings, every_node, own_nodes
from anabranch.analysis.syntax import FunctionSyntax
from anabranch.analysis.typing.calls import named_value
from anabranch.analysis.typing.types import is_plain_record
from anabranch.core.once import once
from anabranch.ir.types import ANY, RecordOf, Type, without_none

Origin = tuple[str, str]


@dataclass(frozen=True)
class Copy:
    """An item and where its attributes come from: a parameter and an attribute of it each.

    `whole` names the parameter that the item is itself; `cls` is None when it is not known.
    """

    cls: type | None
    origins: dict[str, Origin]
    whole: str | None = None

    def origin(self, attribute: str) -> Origin | None:
        if self.whole is not None and self.cls is None:
            return self.whole, attribute
        return self.origins.get(attribute)


class Copies:
    """Looks at expressions of a function whose parameters are items of the given types.

    A name counts only when nothing else in the function binds it, inner scopes included.
    """

    def __init__(self, syntax: FunctionSyntax, items: dict[str, Type]):
        self.syntax, self.items = syntax, {n: without_none(t) for n, t in items.items()}
        self.bound = bindings(syntax.node)
        self._looking: set[str] = set()

    def item(self, node: ast.expr | None) -> Copy | None:
        """What an expression copies, if it is an item whose making can be followed."""
        match node:
            case ast.Name(id=name) if name in self.items:
                return self._parameter(name)
            case ast.Name(id=name):
                return self._followed(name, self.item)
            case ast.NamedExpr(value=value):
                return self.item(value)
            case ast.IfExp(body=body, orelse=orelse):
                return _common(self.item(body), self.item(orelse))
            case ast.Call(func=ast.Attribute(value=base, attr="replace" | "_replace")):
                return self._changed(self.item(base), node)
            case ast.Call():
                return self._made(node)
        return None

    def origin(self, node: ast.expr) -> Origin | None:
        """The input attribute whose value an expression is."""
        match node:
            case ast.Attribute(value=base, attr=attribute):
                copy = self.item(base)
                return copy and copy.origin(attribute)
            case ast.Name(id=name):
                return self._followed(name, self.origin)
            case ast.NamedExpr(value=value):
                return self.origin(value)
            case ast.IfExp(body=body, orelse=orelse):
                first = self.origin(body)
                return first if first == self.origin(orelse) else None
        return None

    def _parameter(self, name: str) -> Copy | None:
        if self.bound[name] != 1:
            return None
        item = self.items[name]
        if isinstance(item, RecordOf) and is_plain_record(item.cls):
            return Copy(item.cls, {f: (name, f) for f in item.cls.__record_fields__}, name)
        readable = item == ANY and self._only_read(name)
        return Copy(None if readable else object, {}, name)

    def _only_read(self, name: str) -> bool:
        """Whether nothing here could change an item of unknown type: only attributes are read."""
        read = {n.value for n in every_node(self.syntax.node) if isinstance(n, ast.Attribute)
                and isinstance(n.ctx, ast.Load)}
        called = {n.func.value for n in every_node(self.syntax.node) if isinstance(n, ast.Call)
                  and isinstance(n.func, ast.Attribute)}
        used = [n for n in every_node(self.syntax.node) if isinstance(n, ast.Name) and n.id == name]
        given = {id(e) for e in self.given_out}
        return all((n in read and n not in called) or id(n) in given for n in used)

    @once
    def given_out(self) -> list[ast.expr]:
        return [n.value for n in own_nodes(self.syntax.body)
                if isinstance(n, (ast.Yield, ast.Return)) and n.value is not None]

    def _followed(self, name: str, look) -> object:
        """What a variable holds that is assigned at one place only."""
        value = self._assigned.get(name)
        if value is None or self.bound[name] != 1 or name in self._looking:
            return None
        self._looking.add(name)
        found = look(value)
        self._looking.discard(name)
        return found

    @once
    def _assigned(self) -> dict[str, ast.expr]:
        found = {}
        for node in own_nodes(self.syntax.body):
            match node:
                case (ast.Assign(targets=[ast.Name(id=name)], value=value)
                      | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                      | ast.NamedExpr(target=ast.Name(id=name), value=value)):
                    found[name] = value
        return found

    def _changed(self, base: Copy | None, node: ast.Call) -> Copy | None:
        if base is None or not is_plain_record(base.cls):
            return None
        changes = {k.arg: self.origin(k.value) for k in node.keywords}
        if None in changes:
            return Copy(base.cls, {})
        origins = {f: o for f, o in base.origins.items() if f not in changes}
        return Copy(base.cls, origins | {f: o for f, o in changes.items() if o is not None})

    def _made(self, node: ast.Call) -> Copy | None:
        cls = named_value(self.syntax.resolve, node.func)
        if not is_plain_record(cls) or any(
                isinstance(n, ast.Name) and self.bound[n.id] for n in ast.walk(node.func)):
            return None
        origins = dict(zip(cls.__record_fields__, self._positional(node.args)))
        origins |= {k.arg: self.origin(k.value) for k in node.keywords if k.arg is not None}
        return Copy(cls, {f: o for f, o in origins.items() if o is not None})

    def _positional(self, arguments: list[ast.expr]) -> Iterator[Origin | None]:
        for argument in arguments:
            if not isinstance(argument, ast.Starred):
                yield self.origin(argument)
            elif (copy := self.item(argument.value)) and is_plain_record(copy.cls):
                yield from (copy.origins.get(f) for f in copy.cls.__record_fields__)
            else:
                return


def _common(left: Copy | None, right: Copy | None) -> Copy | None:
    if left is None or right is None:
        return None
    if left == right:
        return left
    shared = {f: o for f, o in left.origins.items() if right.origins.get(f) == o}
    return Copy(left.cls if left.cls is right.cls else object, shared)


@dataclass(frozen=True)
class View:
    """The items of one port: `parameter` holds them, and `equal` are attributes of other
    parameters that always equal one of theirs."""

    parameter: str
    equal: dict[Origin, str]

    def forwarding(self, copy: Copy | None) -> Forwarding:
        """What a copy takes from this port's item."""
        if copy is None:
            return Forwarding()
        if copy.whole == self.parameter:
            return Forwarding(everything=True)
        origins = copy.origins
        if copy.whole is not None and copy.cls is None:
            origins = {a: (p, a) for p, a in self.equal if p == copy.whole}
        pairs = ((out, self._own(origin)) for out, origin in origins.items())
        return Forwarding(tuple((out, own) for out, own in pairs if own is not None))

    def _own(self, origin: Origin) -> str | None:
        parameter, attribute = origin
        return attribute if parameter == self.parameter else self.equal.get(origin)


def on_every_path(found: Iterable[Forwarding]) -> Forwarding:
    """What all of them forward."""
    found = list(found)
    partial = [f for f in found if not f.everything]
    if not partial:
        return Forwarding(everything=bool(found))
    return Forwarding(tuple((out, own) for out, own in partial[0].pairs
                            if all(f.origin(out) == own for f in found)))
