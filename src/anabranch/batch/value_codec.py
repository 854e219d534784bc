"""Any value of a program as bytes and back: saved state, items of unknown type.

The text is JSON with tags, so reading it runs no code and makes no object but those listed here;
records and states are found among the classes that the program has defined.

>>> decode(encode({(1, "a"): [2.5, None]}))
{(1, 'a'): [2.5, None]}
"""

from __future__ import annotations

import base64
import json
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from itertools import zip_longest
from uuid import UUID
from zoneinfo import ZoneInfo

from anabranch.core.errors import RunError
from anabranch.io.values.scalars import shown
from anabranch.ir.records import Record, State
from anabranch.ir.windows import KeyState, Open, OpenWindows

PLAIN = (str, float, bool, type(None))
EXACT = 2**53


def encode(value: object) -> bytes:
    return json.dumps(_tagged(value), separators=(",", ":")).encode()


def decode(data: bytes) -> object:
    return _untagged(json.loads(data))


def _tagged(value: object) -> object:
    if type(value) in PLAIN:
        return value
    if type(value) is int:
        return value if -EXACT < value < EXACT else ["int", hex(value)]
    for tag, (kind, to, _) in _CODERS.items():
        if type(value) is kind:
            return [tag, to(value)]
    return _instance(value)


def _instance(value: object) -> object:
    cls = type(value)
    if isinstance(value, Record):
        return ["record", _name(cls), _list(value)]
    if isinstance(value, State):
        return ["state", _name(cls), _list(value.__getstate__().values())]
    if isinstance(value, Enum):
        return ["member", _name(cls), value.name]
    raise RunError(f"a value cannot be saved: {cls.__name__} is not known here",
                   expected="numbers, text, bytes, times, UUIDs, members of an Enum, lists, "
                            "tuples, sets, dicts, records",
                   got=shown(value))


def _untagged(value: object) -> object:
    if not isinstance(value, list):
        return value
    tag, *rest = value
    if tag in _CODERS:
        return _CODERS[tag][2](rest[0])
    if tag == "member":
        return _member(*rest)
    cls, fields = _found(rest[0]), [_untagged(v) for v in rest[1]]
    return cls(*fields) if tag == "record" else cls(**dict(zip(cls.__record_fields__, fields)))


def _member(name: str, member: str) -> Enum:
    cls = _found(name, Enum)
    if member not in cls.__members__:
        raise RunError(f"saved state has {cls.__name__}.{member}, which the program does not "
                       "define", expected=", ".join(cls.__members__))
    return cls[member]


def _list(values) -> list:
    return [_tagged(v) for v in values]


def _each(values: list):
    return (_untagged(v) for v in values)


def _slots(cls: type) -> tuple:
    """The coder of a class of ours with slots, made without its constructor."""
    def make(values: list) -> object:
        made = cls.__new__(cls)
        # What was saved before a slot was there has none of it.
        for name, value in zip_longest(cls.__slots__, _each(values)):
            setattr(made, name, value)
        return made
    return cls, lambda value: _list(getattr(value, s) for s in cls.__slots__), make


def _entries(value: dict) -> list:
    return [_list(value), _list(value.values())]


def _dict(values: list) -> dict:
    return dict(zip(_each(values[0]), _each(values[1])))


FACTORIES = {"None": None} | {kind.__name__: kind
                              for kind in (bool, int, float, str, list, set, dict, Counter)}


def _factory(value: defaultdict) -> str:
    """The name of what makes the values of new keys, if it is a class that is known here."""
    for name, made in FACTORIES.items():
        if value.default_factory is made:
            return name
    raise RunError("a value cannot be saved: a defaultdict of a function of the program's",
                   expected=f"a defaultdict of {', '.join(FACTORIES)}", got=shown(value))


def _seconds(value: timedelta) -> list:
    return [value.days, value.seconds, value.microseconds]


def _time(value: datetime) -> object:
    """The text of a time without a zone; with one, or where the clock shows a time again, a list
    of its text, its fold and its zone."""
    if value.tzinfo is None and not value.fold:
        return value.isoformat()
    return [value.replace(tzinfo=None).isoformat(), value.fold, _tagged(value.tzinfo)]


def _made_time(saved: object) -> datetime:
    if isinstance(saved, str):
        return datetime.fromisoformat(saved)
    text, fold, zone = saved
    return datetime.fromisoformat(text).replace(fold=fold, tzinfo=_untagged(zone))


def _made_clock(saved: list) -> time:
    text, fold, zone = saved
    return time.fromisoformat(text).replace(fold=fold, tzinfo=_untagged(zone))


def _region(value: ZoneInfo) -> str:
    if value.key is None:
        raise RunError("a value cannot be saved: a time zone without a name",
                       expected="a ZoneInfo by its key, or a timezone", got=shown(value))
    return value.key


_CODERS: dict[str, tuple[type, Callable, Callable]] = {
    "int": (int, hex, lambda text: int(text, 16)),
    "bytes": (bytes, lambda v: base64.b64encode(v).decode(), base64.b64decode),
    "time": (datetime, _time, _made_time),
    "zone": (timezone, lambda v: _list(v.__getinitargs__()), lambda v: timezone(*_each(v))),
    "region": (ZoneInfo, _region, ZoneInfo),
    "date": (date, date.isoformat, date.fromisoformat),
    "clock": (time, lambda v: [v.replace(tzinfo=None).isoformat(), v.fold, _tagged(v.tzinfo)],
              _made_clock),
    "decimal": (Decimal, str, Decimal),
    "uuid": (UUID, str, UUID),
    "span": (timedelta, _seconds, lambda parts: timedelta(*parts)),
    "list": (list, _list, lambda v: list(_each(v))),
    "tuple": (tuple, _list, lambda v: tuple(_each(v))),
    "set": (set, _list, lambda v: set(_each(v))),
    "frozenset": (frozenset, _list, lambda v: frozenset(_each(v))),
    "deque": (deque, lambda v: [v.maxlen, _list(v)], lambda v: deque(_each(v[1]), v[0])),
    "dict": (dict, _entries, _dict),
    "counter": (Counter, _entries, lambda v: Counter(_dict(v))),
    "ordered": (OrderedDict, _entries, lambda v: OrderedDict(_dict(v))),
    "defaults": (defaultdict, lambda v: [_factory(v), *_entries(v)],
                 lambda v: defaultdict(FACTORIES[v[0]], _dict(v[1:]))),
    "key": _slots(KeyState),
    "window": _slots(Open),
    "windows": _slots(OpenWindows),
}


def _name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _found(name: str, *roots: type) -> type:
    """The record or state class of this name that the program has defined last. One of ours may
    stand in another module than when it was saved."""
    classes = {_name(cls): cls for cls in _defined(*roots)} | (_named.get() or {})
    module, _, inner = name.partition(":")
    if name not in classes and module.startswith("anabranch."):
        moved = [each for each in classes if each.startswith("anabranch.")
                 and each.endswith(f":{inner}")]
        name = moved[0] if len(moved) == 1 else name
    if name not in classes:
        raise RunError(f"saved state names the class {name}, which the program does not define")
    return classes[name]


_named: ContextVar[dict[str, type] | None] = ContextVar("named", default=None)


@contextmanager
def standing_for(classes: Mapping[str, type]) -> Iterator[None]:
    """While the block runs these names mean these classes, whatever else is called so."""
    token = _named.set(dict(classes))
    try:
        yield
    finally:
        _named.reset(token)


def _defined(*roots: type) -> Iterator[type]:
    """Classes that were defined earlier come first."""
    waiting = list(roots or (Record, State))
    while waiting:
        cls = waiting.pop(0)
        waiting.extend(cls.__subclasses__())
        yield cls
