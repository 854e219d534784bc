"""A filter's text as compiled functions; the machine code is kept in the user's cache folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from anabranch.errors import RunError
from anabranch.kernels.native.cache import module_of
from anabranch.lang.streamit.blocks import rates_called, tape_dtype
from anabranch.lang.streamit.coding.constants import COMPILED, dtype_of
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.elaborate import Work
from anabranch.lang.streamit.running import compiled
from anabranch.lang.streamit.types import VOID, Type, base_of
from anabranch.sdf.flow import Actor
from anabranch.sdf.stations import Arrays, Compute, Firings

NOTHING = np.zeros(0, np.int32)
WORTH_LANES = 8
ONLY_PLAIN = ("fresh", "rates")
HEAD = '''"""{name}, compiled. Helpers: {helpers}"""
import numpy as np
from anabranch.lang.streamit.running.compiled import SCOPE, compiled
globals().update(SCOPE)
'''


@lru_cache(maxsize=1024)
def compiled_functions(code: FilterCode) -> dict[str, Callable]:
    """The compiled `work` and `prework` of a filter, for whatever its parameters are."""
    module = module_of(source(code, _definitions(code.module.text)))
    return {name: getattr(module, name) for name in ("work", "prework") if hasattr(module, name)}


@lru_cache(maxsize=1024)
def lane_function(code: FilterCode, dense: tuple[bool, bool]) -> Callable | None:
    """The compiled function for many firings side by side, if the filter has one."""
    if code.lanes is None:
        return None
    return module_of(source(code, [code.lanes(dense) + "\n"])).lanes


def source(code: FilterCode, definitions: list[str]) -> str:
    """The text of a compiled module with some functions of a filter."""
    text = Path(compiled.__file__).read_bytes()
    head = HEAD.format(name=code.name, helpers=hashlib.sha256(text).hexdigest()[:16])
    bindings = code.module.constants.bindings(COMPILED)
    constants = "".join(f"{name} = {_constant(value)}\n" for name, value in bindings.items())
    return head + constants + "".join(f"\n\n@compiled\n{each}" for each in definitions)


def _definitions(text: str) -> list[str]:
    """The functions of a text, without those that are only ever run once."""
    parts = [f"def {part}\n" for part in ("\n" + text).split("\ndef ")[1:]]
    return [p for p in parts if not p.startswith(tuple(f"def {n}(" for n in ONLY_PLAIN))]


def _constant(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, np.{value.dtype.name})"
    return f"np.float32({float(value)!r})" if isinstance(value, np.floating) else repr(value)


def held(value: object, type: Type) -> object:
    """A value as compiled code takes it."""
    dtype = dtype_of(base_of(type), COMPILED)
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value, dtype)
    return np.float32(value) if dtype == np.float32 else value


def held_field(value: np.ndarray, type: Type) -> np.ndarray:
    """A copy of a field's array as compiled code changes it."""
    return np.array(value, dtype_of(base_of(type), COMPILED))


def compiled_work(actor: Actor, work: Work) -> Compute | None:
    """The compiled firings of a filter, on a copy of its fields of their own; None when its text
    cannot be compiled."""
    code = work.code
    environment = [held(v, t) for v, t in zip(work.environment, code.environment_types)]
    fields = [held_field(v, t) for v, (_, t) in zip(work.fresh()[0], code.fields)]
    try:
        fire = _fire(actor, work, (*environment, *fields))
        for first in (False, *((True,) if actor.first else ())):
            fire(Firings(first, 0, [_room(code.input, 0)] if actor.rates.pops else []))
    except Exception:
        # Nothing has fired, so whatever failed is the compiler.
        return None

    def compute(firings: Firings) -> Arrays:
        try:
            return fire(firings)
        except (ValueError, IndexError, ZeroDivisionError) as error:
            raise RunError(compiled.FAILURES.get(str(error), str(error)), actor.span,
                           help="the sequential engine tells the line") from None
    return compute


def _fire(actor: Actor, work: Work, values: tuple) -> Compute:
    """Fires the compiled functions; with lanes where there are enough firings for them."""
    code, functions = work.code, compiled_functions(work.code)
    lanes = lane_function(code, (actor.rates.pops == (1,), actor.rates.pushes in ((1,), ())))
    if lanes is not None:
        lanes(0, 0, 0, 0, _room(code.input, 0), 0, _room(code.output, 0), 0, *values)

    def fire(firings: Firings) -> Arrays:
        name, peek, pop, push = rates_called(actor, firings.first)
        count, out = firings.count, _room(code.output, firings.count * push)
        items = firings.inputs[0] if firings.inputs else NOTHING
        if lanes is not None and not firings.first and count >= WORTH_LANES:
            lanes(count, peek, pop, push, items, 0, out, 0, *values)
        else:
            functions[name](count, peek, pop, push, items, 0, out, 0, 0, *values)
        return [out] if actor.rates.pushes else []
    return fire


def _room(type: Type, count: int) -> np.ndarray:
    """An array for so many items; a stream of nothing has none."""
    return NOTHING if type == VOID else np.empty(count, tape_dtype(type))
