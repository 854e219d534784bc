"""The fields of saved states and records, as a program has them now.

New fields begin with their defaults, others that are no more are left out. Nothing of the program
is run, and a page stays text.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable

from anabranch.batch.value_codec import encode
from anabranch.core.errors import RunError
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.records import Record, State
from anabranch.ir.types import RecordOf, annotations_of, type_of


def classes_in(graph: Graph, operators: Iterable[Operator]) -> dict[str, type]:
    """The classes of states and records that the state of these operators may have, by the names
    under which they are saved."""
    operators = [op for op in operators if op.variables]
    return _named_by([each for op in operators for each in (
        getattr(op.kind, "state", None), *(graph.queue(queue).type for queue in op.inputs))])


def states_in(operators: Iterable[Operator]) -> dict[str, type]:
    """The same without the items that come to them."""
    return _named_by([getattr(op.kind, "state", None) for op in operators if op.variables])


def _named_by(hints: list) -> dict[str, type]:
    found: dict[str, type] = {}
    while hints:
        hint = hints.pop()
        cls = hint.cls if isinstance(hint, RecordOf) else hint
        hints += typing.get_args(hint)
        if isinstance(cls, type) and issubclass(cls, (Record, State)) and _full(cls) not in found:
            found[_full(cls)] = cls
            hints += _hints(cls)
    return found


def _full(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _hints(cls: type) -> list:
    try:
        return list(annotations_of(cls).values())
    except Exception:
        # What cannot be resolved here names no class that the state could be made of.
        return []


def noted(classes: Iterable[tuple[str, type]]) -> dict[str, dict[str, str]]:
    """The types of the fields of each class."""
    return {full: {name: str(kind) for name, kind in fields_of(cls).items()}
            for full, cls in classes}


def fields_of(cls: type) -> dict[str, object]:
    """The fields of a state; a type that is none of ours is known by its text."""
    found = {}
    for name, hint in annotations_of(cls).items():
        try:
            found[name] = type_of(hint)
        except Exception:
            found[name] = hint
    return found


def named_as_saved(saved: dict, now: dict[str, type]) -> dict[str, type]:
    """The classes by the names of the saved ones. A program that was run is a module when it is
    imported: then its classes stand in another one."""
    inner = {name.partition(":")[2]: cls for name, cls in now.items()}
    return {name: now.get(name, inner.get(name.partition(":")[2])) for name in saved["states"]
            if name in now or name.partition(":")[2] in inner}


def in_fields(page: bytes, saved: dict[str, dict[str, str]], now: dict[str, type]) -> bytes:
    """The page with states as the program has them now: new fields have their defaults, others that
    are no more are left out."""
    others = {name: (list(fields), now[name]) for name, fields in saved.items()
              if name in now and list(fields) != list(now[name].__record_fields__)}
    if not others:
        return page
    return json.dumps(_moved(json.loads(page), others), separators=(",", ":")).encode()


def _moved(value: object, others: dict) -> object:
    if not isinstance(value, list):
        return value
    if value[:1] in (["state"], ["record"]) and value[1] in others:
        names, cls = others[value[1]]
        kept = dict(zip(names, (_moved(each, others) for each in value[2])))
        return [value[0], value[1], [kept[name] if name in kept else _default(cls, name)
                                     for name in cls.__record_fields__]]
    return [_moved(each, others) for each in value]


def _default(cls: type, name: str) -> object:
    """What a field that is new begins with, as a page has it."""
    value = cls.__record_fields__[name] if issubclass(cls, Record) else cls().__getstate__()[name]
    if value is ...:
        raise RunError(f"the stream's checkpoint has items of {cls.__name__} without '{name}', "
                       "which is new", expected=f"a default for {cls.__name__}.{name}",
                       got="no default",
                       help="give the field a default, or begin anew with another checkpoint")
    return json.loads(encode(value))
