"""Records made of other classes: `@ab.record` above a dataclass or the like."""

from __future__ import annotations

from anabranch.core.errors import ProgramError
from anabranch.core.source import caller_span
from anabranch.ir.foreign import record_of
from anabranch.ir.records import Record
from anabranch.ir.types import field_types


def record(cls: type) -> type[Record]:
    """The record class with the fields, types, defaults and methods of a dataclass, a named tuple,
    a typed dict, a model of pydantic, or any class with typed fields: as a decorator it takes the
    class's place. Validators and `__post_init__` are not part of it.
    """
    if not isinstance(cls, type) or not getattr(cls, "__annotations__", None):
        raise ProgramError(f"{getattr(cls, '__name__', cls)!r} has no typed fields", caller_span(),
                           expected="a class with annotations")
    made = record_of(cls)
    field_types(made)
    return made
