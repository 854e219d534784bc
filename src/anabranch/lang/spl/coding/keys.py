"""The key of a Custom operator's state, found in its logic.

Where the only variables that change are maps, and every use of them is by one and the same key, of
attributes of the tuple that came, each key has a part of the maps of its own, and no firing sees
another key's. So the state falls apart by these attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anabranch.lang.spl import syntax
from anabranch.lang.spl.composites import Input
from anabranch.lang.spl.syntax import Node

ONE_KEY = ("has", "removeM", "insertM")
"""Functions that touch one key of a map: their second argument."""


def key_of(handlers: Iterable[syntax.Handler], changing: set[str], maps: set[str], port: Input
           ) -> tuple[str, ...]:
    """The attributes by which the state falls apart; none where nothing tells."""
    if not changing or changing - maps:
        return ()
    found: set[tuple[str, ...] | None] = set()
    for handler in handlers:
        if handler.event == "state":
            continue
        if handler.event != "onTuple" or _shadows(handler.body, changing, port):
            return ()
        found |= set(_keys(handler.body, changing, port))
    return next(iter(found)) or () if len(found) == 1 else ()


def _keys(node: Node, names: set[str], port: Input) -> Iterator[tuple[str, ...] | None]:
    """The key of every use of the maps; None for one that is by no attributes."""
    used, rest = None, list(syntax.children(node))
    match node:
        case syntax.Index(owner=syntax.Name(text=name), index=key) if name in names:
            used, rest = key, [key]
        case syntax.Binary(operator="in", left=key, right=syntax.Name(text=name)) if name in names:
            used, rest = key, [key]
        case syntax.Invoke(arguments=(syntax.Name(text=name), key, *others)) if (
                name in names and node.function.text in ONE_KEY):
            used, rest = key, [key, *others]
        case syntax.Name(text=name) if name in names:
            yield None
    if used is not None:
        yield _attributes(used, port)
    for child in rest:
        yield from _keys(child, names, port)


def _attributes(key: Node, port: Input) -> tuple[str, ...] | None:
    if isinstance(key, syntax.TupleLiteral):
        parts = [_attributes(f.value, port) for f in key.fields]
        return None if None in parts else tuple(name for part in parts for name in part)
    if isinstance(key, syntax.Attribute) and isinstance(key.owner, syntax.Name) and (
            key.owner.text == port.name):
        return _known(key.name.text, port)
    return _known(key.text, port) if isinstance(key, syntax.Name) else None


def _known(name: str, port: Input) -> tuple[str, ...] | None:
    return (name,) if name in port.type.attributes else None


def _shadows(body: Node, names: set[str], port: Input) -> bool:
    """Whether a variable has the name of a map or of an attribute."""
    declared = {n.name.text for n in syntax.walk(body)
                if isinstance(n, (syntax.Variable, syntax.For))}
    return bool(declared & (names | set(port.type.attributes)))
