"""Classes of others as records: dataclasses, named tuples, typed dicts, models.

Of each a record class is made, once: the same fields, types and defaults, and the methods that its
text has. What checks or converts values when such an object is made (validators, `__post_init__`)
is not part of it: values are checked as those of any record.

>>> from dataclasses import dataclass
>>> @dataclass
... class Point:
...     x: int
...     y: int = 2
...     def sum(self):
...         return self.x + self.y
>>> record_of(Point)(1), record_of(Point)(1).sum(), record_of(Point) is record_of(Point)
(Point(x=1, y=2), 3, True)
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from types import FunctionType
from weakref import WeakKeyDictionary

from anabranch.core.errors import ProgramError
from anabranch.core.source import caller_span, class_name, user_frame
from anabranch.ir.records import Record, RecordMeta, State

_MADE: WeakKeyDictionary[type, type[Record]] = WeakKeyDictionary()


def is_foreign(cls: object) -> bool:
    """Whether it is a class with typed fields that is no record of ours."""
    if not isinstance(cls, type) or issubclass(cls, (Record, State)):
        return False
    is_named_tuple = issubclass(cls, tuple) and _states(cls, "_field_defaults")
    return (_states(cls, "__dataclass_fields__") or is_named_tuple or typing.is_typeddict(cls)
            or _is_model(cls))


def _states(cls: type, name: str) -> bool:
    """Whether a class has an attribute; a metaclass of the user's is not asked."""
    return inspect.getattr_static(cls, name, None) is not None


def _is_model(cls: type) -> bool:
    """Whether it is a model of pydantic, which need not be there."""
    return any(f"{vars(base).get('__module__')}.{class_name(base)}" == "pydantic.main.BaseModel"
               for base in cls.__mro__)


def record_of(cls: type) -> type[Record]:
    """The record class that stands for another class."""
    if cls not in _MADE:
        defaults = dict(_defaults(cls))
        hints = {name: hint for name, hint in _hints(cls).items() if _is_field(cls, name)}
        namespace = {"__annotations__": hints, "__doc__": cls.__doc__, **_methods(cls),
                     **{name: value for name, value in defaults.items() if name in hints}}
        if typing.is_typeddict(cls):
            namespace |= {name: call for name, call in _as_dict() if name not in hints}
        made = RecordMeta(cls.__name__, (Record,), namespace)
        # Its annotations are resolved, and name nothing.
        made.__annotations_found__ = hints
        made.__stands_for__ = cls
        _MADE[cls] = made
    return _MADE[cls]


def values_of(item: object, record: type[Record]) -> tuple | None:
    """The fields of an object of the class that a record class stands for."""
    cls = getattr(record, "__stands_for__", None)
    if cls is None or not isinstance(item, dict if typing.is_typeddict(cls) else cls):
        return None
    try:
        read = item.__getitem__ if isinstance(item, dict) else item.__getattribute__
        return tuple(read(name) for name in record.__record_fields__)
    except (KeyError, AttributeError):
        return None


def _hints(cls: type) -> dict[str, object]:
    frame = user_frame()
    scope = {**frame.f_globals, **frame.f_locals} if frame else {}
    try:
        return typing.get_type_hints(cls, localns=scope)
    except NameError as error:
        raise ProgramError(f"an annotation of {cls.__name__} cannot be read: {error}",
                           caller_span()) from None


def _is_field(cls: type, name: str) -> bool:
    known = getattr(cls, "model_fields", None) if _is_model(cls) else getattr(
        cls, "__dataclass_fields__", None)
    return not name.startswith("_") and (known is None or name in known)


def _defaults(cls: type) -> Iterator[tuple[str, object]]:
    if dataclasses.is_dataclass(cls):
        for found in dataclasses.fields(cls):
            if found.default is not dataclasses.MISSING:
                yield found.name, found.default
            elif found.default_factory is not dataclasses.MISSING:
                yield found.name, found.default_factory()
    elif _is_model(cls):
        for name, found in cls.model_fields.items():
            if not found.is_required():
                yield name, found.get_default(call_default_factory=True)
    elif typing.is_typeddict(cls):
        yield from ((name, None) for name in getattr(cls, "__optional_keys__", ()))
    elif issubclass(cls, tuple):
        yield from cls._field_defaults.items()
    else:
        own = inspect.get_annotations(cls)
        yield from ((n, v) for n, v in vars(cls).items() if n in own)


def _as_dict() -> Iterator[tuple[str, object]]:
    """What reads the record of a typed dict as its type says: `order["amount"]`, `{**order}`."""
    def __getitem__(self, name):
        return tuple.__getitem__(self, self.__record_places__[name] if type(name) is str else name)

    def get(self, name, default=None):
        return getattr(self, name) if name in self.__record_fields__ else default

    def __contains__(self, name):
        return name in self.__record_fields__

    yield from {"__getitem__": __getitem__, "__contains__": __contains__, "get": get,
                "keys": lambda self: self.__record_fields__.keys(),
                "items": lambda self: self._asdict().items()}.items()


def _methods(cls: type) -> dict[str, object]:
    """The methods and properties that the text of a class has."""
    return {name: value for name, value in cls.__dict__.items()
            if not name.startswith("_") and isinstance(value, (FunctionType, property))}
