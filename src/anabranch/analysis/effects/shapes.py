"""What the items of a stream may be, from what is known of their source."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Iterable

from anabranch.analysis.effects.environment import (
    PLAIN,
    are_fixed,
    is_a,
    is_fixed,
    thing_of,
    things_of,
)
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    KEY,
    UNKNOWN,
    Plain,
    Shape,
    ShapeTree,
    SharedObject,
    one_of,
)
from anabranch.analysis.typing.types import fields_of_class
from anabranch.ir.types import (
    ChoiceOf,
    DictType,
    ListOf,
    OptionalOf,
    RecordOf,
    Scalar,
    TupleType,
    Type,
)

SCALARS: dict[str, tuple[type, ...]] = {
    "bool": (bool,), "int": (int,), "float": (float,), "str": (str,), "bytes": (bytes,),
    "timestamp": (datetime.datetime,), "instant": (datetime.datetime,),
    "timedelta": (datetime.timedelta,), "None": (type(None),), "date": (datetime.date,),
    "time": (datetime.time,), "Decimal": (decimal.Decimal,), "UUID": (uuid.UUID,)}
LOOSE = {"int": (int, bool), "float": (float, int, bool)}
"""A whole number may stand for a float, and a truth for a number, where Python made the item."""
MOST_ITEMS = 100_000
"""So many items of a list are looked at to find out their classes."""


def shape_of_type(found: Type, loose: bool = False) -> Shape:
    """What items of a declared type are: a source gives no others."""
    match found:
        case Scalar(name) if name in SCALARS:
            return one_of(*(LOOSE.get(name, SCALARS[name]) if loose else SCALARS[name]))
        case OptionalOf(item):
            return shape_of_type(item, loose) | one_of(type(None))
        case ChoiceOf(base, _, None):
            return shape_of_type(base, loose)
        case ChoiceOf(_, _, cls):
            members = [*cls.__members__.values()]
            root = thing_of(cls, cls.__name__, f"the class `{cls.__name__}`")
            return things_of(members, root) if all(map(is_fixed, members)) else UNKNOWN
        case ListOf(item):
            return frozenset((ShapeTree(list, ((ELEMENT, shape_of_type(item, loose)),)),))
        case DictType(key, item):
            return frozenset((ShapeTree(dict, ((ELEMENT, shape_of_type(item, loose)),
                                               (KEY, shape_of_type(key, loose)))),))
        case TupleType(items):
            each = frozenset().union(*(shape_of_type(item, loose) for item in items))
            return frozenset((ShapeTree(tuple, ((ELEMENT, each),)),))
        case RecordOf(cls):
            parts = ((n, shape_of_type(t, loose)) for n, t in fields_of_class(cls).items())
            return frozenset((ShapeTree(cls, tuple(sorted(parts))),))
    return UNKNOWN


def shape_of_items(items: Iterable[object], declared: Type) -> Shape:
    """What the items of a Python list are; of anything else it is what is declared."""
    if type(items) not in (list, tuple) or not items:
        return shape_of_type(declared, loose=True)
    classes = set(map(type, items))
    if classes <= PLAIN:
        return one_of(*classes)
    if len(items) > MOST_ITEMS:
        return shape_of_type(declared, loose=True)
    if len(classes) == 1 and isinstance(declared, RecordOf) and classes == {declared.cls}:
        return _shape_of_records(items, declared)
    found = frozenset().union(*(_shape(item, 0) for item in items)) if len(items) else frozenset()
    known = shape_of_type(declared, loose=True)
    return found if ANYTHING in known or not declared else known


def _shape_of_records(items: list, declared: RecordOf) -> Shape:
    """The classes of the fields that are plain, as they are; of others what is declared."""
    types = fields_of_class(declared.cls)
    columns = zip(*map(tuple.__iter__, items)) if items else ([] for _ in types)
    parts = []
    for (name, kind), column in zip(types.items(), columns):
        classes = set(map(type, column))
        plain = one_of(*classes) if classes <= PLAIN else None
        if plain is None and ANYTHING in shape_of_type(kind):
            plain = frozenset().union(*(_shape(v, 1) for v in column))
        parts.append((name, plain if plain is not None else shape_of_type(kind, loose=True)))
    return frozenset((ShapeTree(declared.cls, tuple(sorted(parts))),))


def _shape(item: object, depth: int) -> Shape:
    """An item as it is: collections by what lies in them, other objects by themselves."""
    if type(item) in PLAIN:
        return one_of(type(item))
    if depth > 4:
        return UNKNOWN
    if type(item) in (list, tuple, set, frozenset):
        return frozenset((ShapeTree(type(item), ((ELEMENT, _joined(item, depth)),)),))
    if type(item) is dict:
        return frozenset((ShapeTree(dict, ((ELEMENT, _joined(item.values(), depth)),
                                      (KEY, _joined(item, depth)))),))
    if hasattr(type(item), "__record_fields__") and is_a(item, tuple):
        fields = zip(type(item)._fields, tuple.__iter__(item))
        parts = ((n, _shape(v, depth + 1)) for n, v in fields)
        return frozenset((ShapeTree(type(item), tuple(sorted(parts))),))
    return frozenset((SharedObject((item,), "its items", "an item", item),)) if is_fixed(item) \
        else UNKNOWN


def _joined(items: Iterable[object], depth: int) -> Shape:
    return frozenset().union(*(_shape(v, depth + 1) for v in items))


def can_change(shape: Shape) -> bool:
    """Whether an item, or something in it, may be changed."""
    for part in shape:
        if isinstance(part, ShapeTree):
            fixed = part.cls is not None and issubclass(part.cls, (tuple, frozenset))
            if not fixed or any(can_change(inner) for _, inner in part.parts):
                return True
        elif not isinstance(part, Plain) and not (
                isinstance(part, SharedObject) and are_fixed(part)):
            return True
    return False
