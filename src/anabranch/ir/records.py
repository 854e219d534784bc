"""Typed records and state: classes whose annotations are the schema.

A record is immutable and compares by value; a state is mutable and starts from its defaults.

>>> class Trade(Record):
...     symbol: str
...     price: float = 0.0
>>> Trade("IBM", 119.5).replace(price=120.0)
Trade(symbol='IBM', price=120.0)
>>> class Total(State):
...     amount: float = 0.0
>>> total = Total(); total.amount += 2.5; total
Total(amount=2.5)
"""

from __future__ import annotations

import copy
import inspect
import itertools
import re
import sys
from collections import namedtuple
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, dataclass_transform

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import caller_span


def _declared(bases: tuple, namespace: dict) -> dict[str, object]:
    """The fields of a class body and of its bases, with their defaults (or `...`)."""
    fields: dict[str, object] = {}
    for base in reversed(bases):
        fields.update(getattr(base, "__record_fields__", {}))
    for name in namespace.get("__annotations__", {}):
        fields[name] = namespace.pop(name, ...)
    return fields


_serial = itertools.count()


class ClassScope(dict):
    """The local names where a class stands, so that its annotations can name local classes. Where
    the class travels by value, the names that its annotations use go with it, and no others."""

    def __init__(self, frame: FrameType, annotations: dict[str, object]):
        super().__init__(frame.f_locals if frame.f_locals is not frame.f_globals else {})
        self.around, self.annotations = frame.f_globals, annotations
        self.file, self.serial = frame.f_code.co_filename, next(_serial)

    def __reduce__(self):
        known = {**self.around, **self}
        texts = [text for text in self.annotations.values() if isinstance(text, str)]
        used = {name for text in texts for name in re.findall(r"[^\W\d]\w*", text)}
        return dict, ({name: known[name] for name in sorted(used & known.keys())},)


def _scope(namespace: dict) -> ClassScope:
    return ClassScope(sys._getframe(2), namespace.get("__annotations__", {}))


class _Slots(NamedTuple):
    """Stands for the slots of a state among the bases with which its class is pickled by value."""

    names: tuple[str, ...]

    def __mro_entries__(self, bases: tuple) -> tuple:
        return ()


class _Fields(NamedTuple):
    """The same for a record, whose first base is the tuple of its fields."""

    name: str
    fields: dict[str, object]

    def __mro_entries__(self, bases: tuple) -> tuple:
        return (_tuple_base(self.name, self.fields),)


def _written(namespace: dict, bases: tuple, layout: _Slots | _Fields) -> tuple:
    """`cloudpickle` knows nothing of slots; but it asks for the bases as they were written."""
    return layout, *namespace.get("__orig_bases__", bases)


def _is_copy(namespace: dict) -> bool:
    """Whether a class is put together again that was pickled by value: its parts follow."""
    return "__qualname__" not in namespace and "__annotations__" not in namespace


@dataclass_transform(frozen_default=True)
class RecordMeta(type):
    """Turns a class body with annotations into a named tuple with methods."""

    def __new__(meta, name, bases, namespace):
        if not bases or _is_copy(namespace):
            return super().__new__(meta, name, bases, namespace | {"__slots__": ()})
        fields = _declared(bases, namespace)
        namespace |= {"__slots__": (), "__record_fields__": fields,
                      "__record_scope__": _scope(namespace),
                      "__record_places__": {field: n for n, field in enumerate(fields)},
                      "__orig_bases__": _written(namespace, bases, _Fields(name, fields))}
        # The tuple of all fields goes first, so that its constructor wins over an inherited one.
        return super().__new__(meta, name, (_tuple_base(name, fields), *bases), namespace)


def _tuple_base(name: str, fields: dict[str, object]) -> type:
    defaults = [d for d in fields.values() if d is not ...]
    if any(d is ... for d in list(fields.values())[len(fields) - len(defaults):]):
        raise ProgramError(f"a field of {name} without a default follows one with a default",
                           caller_span())
    try:
        return namedtuple(name, list(fields), defaults=defaults)
    except ValueError as error:
        raise ProgramError(f"{name}: {error}", caller_span()) from None


class Record(metaclass=RecordMeta):
    """One item of a stream: immutable, typed by its annotations, compared by value."""

    __slots__ = ()

    if TYPE_CHECKING:
        # What every record has of the tuple of its fields, for those who read types alone.
        def __iter__(self) -> Iterator[Any]: ...
        def __len__(self) -> int: ...
        def __getitem__(self, place: int, /) -> Any: ...
        def __eq__(self, other: object, /) -> bool: ...
        def __lt__(self, other: Self, /) -> bool: ...

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; the others are forwarded unchanged."""
        # Half as long as `_replace`, which says what is wrong with a field that is not there.
        places, values = self.__record_places__, list(self)
        for name, value in changes.items():
            if name not in places:
                return self._replace(**changes)
            values[places[name]] = value
        return tuple.__new__(type(self), values)


GETTER = type(inspect.getattr_static(namedtuple("Pair", "a"), "a"))
"""What reads a field of a named tuple."""


def is_plain_record(cls: type) -> bool:
    """Whether making such a record, changing a copy and reading its fields run no code of the
    user's."""
    if type(cls) is not RecordMeta or not hasattr(cls, "__record_fields__"):
        return False
    made_by_tuple = inspect.getattr_static(cls, "__new__") is vars(cls.__mro__[1]).get("__new__")
    return (made_by_tuple and cls.__init__ is object.__init__ and cls.replace is Record.replace
            and cls.__getattribute__ is tuple.__getattribute__
            and all(type(inspect.getattr_static(cls, name)) is GETTER
                    for name in cls.__record_fields__))


def record_class(name: str, types: dict[str, object]) -> type[Record]:
    """A record class made of field types instead of a class body.

    >>> record_class("Pair", {"a": "int", "b": "int"})(1, 2)
    Pair(a=1, b=2)
    """
    cls = RecordMeta(name, (Record,), {"__annotations__": dict.fromkeys(types, object)})
    cls.__field_types__ = types
    return cls


@dataclass_transform()
class StateMeta(type):
    """Turns a class body with annotations and defaults into a class with slots."""

    def __new__(meta, name, bases, namespace):
        if _is_copy(namespace):
            slots = namespace["__orig_bases__"][0].names
            return super().__new__(meta, name, bases, namespace | {"__slots__": slots})
        fields = _declared(bases, namespace)
        missing = [f for f, default in fields.items() if default is ...]
        if missing:
            raise ProgramError(f"{name}.{missing[0]} has no initial value", caller_span(),
                               help=f"write `{missing[0]}: ... = <initial value>`")
        inherited = {f for b in bases for f in getattr(b, "__record_fields__", {})}
        slots = tuple(f for f in fields if f not in inherited)
        namespace |= {"__slots__": slots, "__record_fields__": fields,
                      "__record_scope__": _scope(namespace),
                      "__record_initial__": [(f, initial, initial.__hash__ is None)
                                             for f, initial in fields.items()],
                      "__orig_bases__": _written(namespace, bases, _Slots(slots))}
        return super().__new__(meta, name, bases, namespace)


def _assign(state: State, given: tuple, values: dict[str, object]) -> None:
    """Sets the fields that are not to have their initial values."""
    name_of, fields = type(state).__name__, type(state).__record_fields__
    if len(given) > len(fields):
        raise TypeError(f"{name_of} has {len(fields)} fields, not {len(given)}")
    for name, value in (dict(zip(fields, given)) | values).items():
        if name not in fields:
            raise TypeError(f"{name_of} has no field {name!r}; {did_you_mean(name, fields)}")
        setattr(state, name, value)


class State(metaclass=StateMeta):
    """What an operator remembers from tuple to tuple; every field has an initial value."""

    def __init__(self, *given: Any, **values: Any) -> None:
        # Immutable defaults are shared; a list or a dict must be this instance's own.
        for name, initial, own in self.__record_initial__:
            setattr(self, name, copy.deepcopy(initial) if own else initial)
        if given or values:
            _assign(self, given, values)

    def __repr__(self) -> str:
        fields = type(self).__record_fields__
        shown = ", ".join(f"{f}={getattr(self, f)!r}" for f in fields)
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            getattr(self, f) == getattr(other, f) for f in type(self).__record_fields__)

    __hash__ = None

    def __getstate__(self):
        return {f: getattr(self, f) for f in type(self).__record_fields__}

    def __setstate__(self, values):
        for name, value in values.items():
            setattr(self, name, value)


def state_class(fields: Mapping[str, tuple[object, object]]) -> type[State]:
    """A state made of fields, each with its annotation and its initial value, instead of a body.

    >>> state_class({"total": (float, 0.0)})()
    Kept(total=0.0)
    """
    hints = {name: hint for name, (hint, _) in fields.items()}
    values = {name: value for name, (_, value) in fields.items()}
    return StateMeta("Kept", (State,), {"__annotations__": hints, "__module__": __name__,
                                        "__qualname__": "Kept", **values})
