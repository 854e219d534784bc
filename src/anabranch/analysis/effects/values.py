"""What a value may be: the abstract values that the effect analysis computes with.

A value is a set of things. A thing has a class that is proved, not guessed, and says where it comes
from: made by the function itself, part of an item, part of the state, or from outside. No things at
all is a value that never comes about; `ANYTHING` among them is a value of which nothing is known.

>>> one_of(int, str) == value(Plain(str), Plain(int))
True
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field


class Thing:
    """One possibility of what a value is."""

    cls: type | None = None


Value = frozenset[Thing]
NOTHING: Value = frozenset()


@dataclass(frozen=True)
class Plain(Thing):
    """A value of exactly this built-in class, in which nothing can change."""

    cls: type


@dataclass(frozen=True)
class Object(Thing):
    """An object that the analysis follows; `Heap` knows what lies in it.

    `origin` is "made", "item" or "state". `site` is where it was made, or how it is reached. A
    class of None is that of some object of the standard library, which has no code of the user's.
    """

    origin: str
    site: object
    cls: type | None
    name: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class SharedObject(Thing):
    """Objects from outside of the function, of one class: mostly one, or the many in a table."""

    members: tuple
    name: str = ""
    label: str = ""
    owner: object = None
    _key: tuple = field(init=False, repr=False)
    _hash: int = field(init=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "_key", (type(self.members[0]), tuple(map(id, self.members))))
        object.__setattr__(self, "_hash", hash(self._key))

    @property
    def value(self) -> object:
        return self.members[0]

    @property
    def cls(self) -> type:
        return type(self.members[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedObject) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class InnerFunction(Thing):
    """A function that is defined within the function, with the variables that it sees."""

    node: ast.Lambda | ast.FunctionDef
    scope: object


@dataclass(frozen=True)
class Bound(Thing):
    """A method with its object: the function, and what it is called with first."""

    function: Thing
    owner: Thing


@dataclass(frozen=True)
class Method(Thing):
    """A method that a built-in class has, with its object."""

    of: type | None
    name: str
    owner: Thing


@dataclass(frozen=True)
class Unlikely(Thing):
    """A function that a computed name may stand for, beside fields. It counts where it is called.
    """

    function: Thing


@dataclass(frozen=True)
class Anything(Thing):
    """Nothing is known of it."""


ANYTHING = Anything()
UNKNOWN: Value = frozenset((ANYTHING,))
NONE = Plain(type(None))
ELEMENT, KEY = "[]", "{}"
"""The parts of a collection: its elements (a dict's values), and the keys of a dict."""
OF = "of"
"""The part of a view or an iterator that it looks into."""


def value(*things: Thing) -> Value:
    return frozenset(things)


def one_of(*classes: type) -> Value:
    return frozenset(map(Plain, classes))


def union(values: Iterable[Value]) -> Value:
    return frozenset().union(*values)


class Heap:
    """What lies in the objects that are followed. It only grows; `version` tells when it does."""

    def __init__(self):
        self.parts: dict[Object, dict[object, Value]] = {}
        self.version = 0

    def of(self, thing: Object) -> dict[object, Value]:
        return self.parts.get(thing, {})

    def get(self, thing: Object, part: object) -> Value:
        return self.of(thing).get(part, NOTHING)

    def put(self, thing: Object, part: object, found: Value) -> None:
        parts = self.parts.setdefault(thing, {})
        before = parts.get(part, NOTHING)
        if part not in parts or not found <= before:
            parts[part] = before | found
            self.version += 1

    def reached(self, start: Value) -> Value:
        """The things of a value, and all that lie in them."""
        seen, waiting = set(), list(start)
        while waiting:
            thing = waiting.pop()
            if thing not in seen:
                seen.add(thing)
                if isinstance(thing, Object):
                    waiting.extend(t for part in self.of(thing).values() for t in part)
                elif isinstance(thing, (Bound, Method)):
                    waiting.append(thing.owner)
        return frozenset(seen)


@dataclass(frozen=True)
class ShapeTree:
    """An object as a stream has it: its class, and the shapes of its parts."""

    cls: type | None
    parts: tuple[tuple[object, Shape], ...]


Shape = frozenset
"""What items of a stream may be: a set of `Plain`, `Shared`, `Tree` and `ANYTHING`."""
DEEPEST = 6


def shape_of(heap: Heap, found: Value, depth: int = 0) -> Shape:
    """A value as another operator gets it. What is too deep, and functions, are not known."""
    shapes = set()
    for thing in found:
        if isinstance(thing, (Plain, SharedObject)):
            shapes.add(thing)
        elif isinstance(thing, Object) and depth < DEEPEST:
            parts = ((key, shape_of(heap, part, depth + 1))
                     for key, part in heap.of(thing).items())
            shapes.add(ShapeTree(thing.cls, tuple(sorted(parts, key=lambda p: str(p[0])))))
        elif not isinstance(thing, Unlikely):
            return UNKNOWN
    return frozenset(shapes)


def planted(heap: Heap, shape: Shape, origin: str, site: tuple, name: str) -> Value:
    """A value of this shape, with objects of their own in the heap."""
    things = set()
    for number, part in enumerate(sorted(shape, key=_order)):
        if not isinstance(part, ShapeTree):
            things.add(part)
            continue
        thing = Object(origin, (*site, number), part.cls, name)
        heap.parts.setdefault(thing, {})
        for key, inner in part.parts:
            heap.put(thing, key, planted(heap, inner, origin, (*site, number, key), name))
        things.add(thing)
    return frozenset(things)


def _order(part: object) -> tuple:
    """Asks no object from outside how it looks: that would run its code."""
    cls = getattr(part, "cls", None)
    inside = [(str(key), sorted(map(_order, inner))) for key, inner in getattr(part, "parts", ())]
    return type(part).__name__, getattr(cls, "__qualname__", ""), inside
