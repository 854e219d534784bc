"""Programs and rows as bytes, on their way to the executors and back.

The user's functions and classes travel by value: the modules they stand in need not be there. A
class that arrives twice is the same class, also when it comes back to where it was made.
"""

from __future__ import annotations

import io
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from inspect import signature
from types import ModuleType

from pyspark import cloudpickle as cloud
from pyspark.cloudpickle import cloudpickle as inner

from anabranch.core.errors import ProgramError, RunError
from anabranch.core.source import is_installed
from anabranch.ir.records import RecordMeta, StateMeta
from anabranch.ir.types import annotations_of, field_types

Cached = type(lru_cache(len))


class Pickler(cloud.Pickler):
    """Takes classes of records and states apart, which the metaclass then puts together again."""

    def reducer_override(self, obj):
        if identity_of(obj) is not None:
            return _reduced(obj)
        if isinstance(obj, Cached) and not _is_there(obj):
            return _cached, (obj.__wrapped__, obj.cache_parameters()), vars(obj)
        if isinstance(obj, threading.Event):
            # What one process waits for says nothing to another.
            return threading.Event, ()
        found = super().reducer_override(obj)
        if isinstance(found, tuple) and found[0] is inner._make_skeleton_enum:
            return (_enum, *found[1:])
        return found


def identity_of(obj: object) -> str | None:
    """The name of a class of records or states that travels by value."""
    if isinstance(obj, (RecordMeta, StateMeta)) and not inner._should_pickle_by_reference(obj):
        return inner._get_or_create_tracker_id(obj)
    return None


def class_known_as(identity: str) -> type:
    """The class of this name, which has arrived here before."""
    return inner._DYNAMIC_CLASS_TRACKER_BY_ID[identity]


def dumped(message: object) -> bytes:
    """The message as bytes; a `RunError` when something in it cannot travel."""
    buffer = io.BytesIO()
    try:
        Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(message)
    except Exception as error:
        raise RunError(f"an item cannot travel between processes: {error}") from error
    return buffer.getvalue()


def loaded(data: bytes) -> object:
    return pickle.loads(data)


def dumped_program(program: tuple, operators: list) -> bytes:
    """The program as bytes; the error names the operator that cannot travel."""
    try:
        return dumped(program)
    except RunError as error:
        for op in operators:
            _check(op)
        raise ProgramError("the program cannot travel to Spark's executors",
                           got=str(error.__cause__)) from None


def _check(op) -> None:
    try:
        dumped(op)
    except RunError as error:
        raise ProgramError(f"{op.name} cannot travel to Spark's executors", op.span,
                           got=str(error.__cause__),
                           help="its functions may use only what can be pickled; open files and "
                                "connections inside the function") from None


@contextmanager
def users_modules_by_value() -> Iterator[None]:
    """Modules of the user's, unlike installed ones, are not expected on the executors."""
    # A module may be known under two names.
    modules = {m.__name__: m for m in list(sys.modules.values()) if _is_users(m)}.values()
    for module in modules:
        cloud.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloud.unregister_pickle_by_value(module)


def _is_there(cached: Cached) -> bool:
    """Whether a function with a cache is found by its name on the executors."""
    module = sys.modules.get(cached.__module__)
    if module is None or cached.__module__ == "__main__" or inner._is_registered_pickle_by_value(
            module):
        return False
    return inner._lookup_module_and_qualname(cached) is not None


def _cached(function: Callable, settings: dict[str, object]) -> Cached:
    """The function with a cache of its own, which begins empty."""
    return lru_cache(**settings)(function)


def _is_users(module: object) -> bool:
    if not isinstance(module, ModuleType) or module.__name__ not in sys.modules:
        return False
    file = getattr(module, "__file__", None)
    named = module.__name__ not in cloud.list_registry_pickle_by_value()
    own = module.__name__.partition(".")[0] in OF_SPARK
    return named and not own and bool(file) and not is_installed(file)


OF_SPARK = {"pyspark", "py4j"}
"""In a distribution of Spark these stand in no folder of packages."""


def _reduced(cls: type):
    """A class of records or states: the fields make it, the rest is put on afterwards."""
    # The first base of a record is the tuple of its fields, which its metaclass makes.
    bases = cls.__bases__[1:] if isinstance(cls, RecordMeta) else cls.__bases__
    made = (type(cls), cls.__name__, bases, dict(cls.__record_fields__), identity_of(cls))
    return _class, made, _rest(cls), None, None, _complete


_MADE_BY_META = {"__slots__", "__orig_bases__", "__record_scope__", "__dict__", "__weakref__"}


def _rest(cls: type) -> dict[str, object]:
    slots = cls.__slots__ if isinstance(cls, StateMeta) else ()
    with suppress(Exception):
        # Resolved here, where the names of its annotations mean something.
        (field_types if isinstance(cls, RecordMeta) else annotations_of)(cls)
    return {name: value for name, value in cls.__dict__.items()
            if name not in _MADE_BY_META and name not in slots}


def _enum(*made: object) -> type:
    """The Enum. Making one that is here would leave a second class of its name behind."""
    known = inner._DYNAMIC_CLASS_TRACKER_BY_ID.get(made[TRACKER])
    return known if known is not None else inner._make_skeleton_enum(*made)


TRACKER = list(signature(inner._make_skeleton_enum).parameters).index("class_tracker_id")
"""Where the name of the class stands among what an Enum is made of."""

_incomplete: weakref.WeakSet[type] = weakref.WeakSet()


def _class(meta: type, name: str, bases: tuple, fields: dict, identity: str) -> type:
    known = inner._DYNAMIC_CLASS_TRACKER_BY_ID.get(identity)
    if known is not None:
        return known
    defaults = {n: v for n, v in fields.items() if v is not ...}
    cls = meta(name, bases, {"__annotations__": dict.fromkeys(fields, object), **defaults})
    cls.__record_scope__ = {}
    _incomplete.add(cls)
    return inner._lookup_class_or_track(identity, cls)


def _complete(cls: type, rest: dict[str, object]) -> None:
    """Only a class that is new here: one that has come home stays as it is."""
    if cls in _incomplete:
        _incomplete.remove(cls)
        for name, value in rest.items():
            setattr(cls, name, value)
