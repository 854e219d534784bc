"""The code of a machine and its filters, compiled and kept in the cache folder.

The code of a machine: a function that lets its actors fire until none can.

It depends on the kinds of actors alone, so that programs of the same filters share it, however many
instances they have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import numpy as np

from anabranch.kernels.native.cache import module_of
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.module import COMPILED
from anabranch.lang.streamit.coding.records import value_dtype
from anabranch.lang.streamit.execution import arithmetic, compiled
from anabranch.lang.streamit.execution.machine import firing
from anabranch.lang.streamit.execution.machine.group import ActorKind, names_of, place_text

MACHINE_HEAD = '''"""A machine. What it calls: {helpers}"""
from anabranch.lang.streamit.execution.compiled import compiled
from anabranch.lang.streamit.execution.machine.firing import *
{imports}

@compiled
def drive(at, marks, W, A, P, H, G, V, {arrays}):
    moved = True
    while moved:
        moved = False
        for a in range(A.shape[0]):
            n = possible(A, P, H, G, a)
            if n <= 0:
                continue
            at[0] = a
            kind = A[a, KIND]
            first = is_first(A, G, a)
            peek = pop = push = p = q = 0
'''
TAIL = '''            G[a, ALLOWED] -= n
            G[a, FIRED] += n
            moved = True
'''
MOVING = {"copy": "copied", "deal": "dealt", "gather": "gathered"}
INPUT = """i = A[a, FIRST_INTO] if first else A[a, INTO]
c = P[i, CHANNEL]
peek = P[i, PEEK]
pop = P[i, RATE]
p = H[c, HEAD]
x_{k} = {name}[H[c, BEGIN]:H[c, BEGIN] + 2 * H[c, CAPACITY]]"""
OUTPUT = """o = A[a, FIRST_OUT] if first else A[a, OUT]
d = P[o, CHANNEL]
push = P[o, RATE]
make_room({name}, H, d, n * push)
q = H[d, TAIL]
y_{k} = {name}[H[d, BEGIN]:H[d, BEGIN] + 2 * H[d, CAPACITY]]"""
PRINTING = """records = W[2]
records[1] = {base}
before = records[0]
silent = G[a, FIRED] < G[a, SILENT]
if silent:
    n = min(n, G[a, SILENT] - G[a, FIRED])
left = n
while left > 0:
    m = 1 if marks else left
{calls}
    left -= m
    if marks:
        put(W, -1, a)
if silent:
    records[0] = before"""


def machine_function(kinds: list[ActorKind]) -> Callable:
    """The compiled function that fires actors of these kinds until none can."""
    return module_of(machine_text(kinds)).drive


def machine_text(kinds: list[ActorKind]) -> str:
    imports = "".join(f"import {_module(kind)} as work_{k}\n" for k, kind in enumerate(kinds)
                      if kind.code)
    text = MACHINE_HEAD.format(helpers=content_key(firing), imports=imports,
                       arrays=", ".join(names_of(kinds)))
    base = 0
    for k, kind in enumerate(kinds):
        fires = _fires(k, kind, base)
        text += f"            {'el' if k else ''}if kind == {k}:\n{_indented(fires, 4)}\n"
        base += len(kind.code.pieces) if kind.code else 0
    return text + TAIL


def _module(kind: ActorKind) -> str:
    if kind.dense is not None:
        return lanes_module(kind.code, kind.dense).__name__
    return functions_module(kind.code).__name__


def _fires(k: int, kind: ActorKind, base: int) -> str:
    if kind.code is None:
        return f"{MOVING[kind.does]}(a, n, A, P, H, {kind.input or kind.output})"
    ports = [INPUT.format(k=k, name=kind.input) if kind.input else f"x_{k} = I[0:0]",
             OUTPUT.format(k=k, name=kind.output) if kind.output else f"y_{k} = I[0:0]"]
    calls = _calls(k, kind)
    if kind.code.pieces:
        calls = PRINTING.format(base=base, calls=_indented(calls, 1))
    ends = [*(["H[c, HEAD] = p"] if kind.input else []),
            *(["H[d, TAIL] = q"] if kind.output else [])]
    return "\n".join([*ports, calls, *ends])


def _calls(k: int, kind: ActorKind) -> str:
    """The lines that fire, and give where the items begin and end then."""
    count = "m" if kind.code.pieces else "n"
    head, values = f"{count}, peek, pop, push, x_{k}, p, y_{k}, q", ", ".join(_values(kind))
    if kind.dense is not None:
        return (f"work_{k}.lanes({head}, {values})\np += n * pop\nq += n * push")
    arguments = f"{head}, {'W' if kind.code.pieces else 0}, {values}"
    work = f"p, q = work_{k}.work({arguments})"
    if kind.code.works[1] is None:
        return work
    return f"if first:\n    p, q = work_{k}.prework({arguments})\nelse:\n    {work}"


def _values(kind: ActorKind) -> list[str]:
    texts, column = [], 0
    for type, is_field in [*((t, False) for t in kind.code.environment_types),
                           *((t, True) for _, t in kind.code.fields)]:
        text, column = place_text(type, column, is_field)
        texts.append(text)
    return texts


def _indented(text: str, depth: int) -> str:
    return "\n".join("    " * depth + line for line in text.split("\n"))


FILTER_HEAD = '''"""{name}, compiled. Helpers: {helpers}"""
import numpy as np
from anabranch.lang.streamit.execution.compiled import SCOPE, compiled
globals().update(SCOPE)
'''


@lru_cache(maxsize=1024)
def functions_module(code: FilterCode) -> ModuleType:
    """The compiled `work` and `prework` of a filter, for whatever its parameters are."""
    parts = [f"def {part}\n" for part in ("\n" + code.native).split("\ndef ")[1:]]
    return module_of(source(code, parts))


@lru_cache(maxsize=1024)
def lanes_module(code: FilterCode, dense: tuple[bool, bool]) -> ModuleType | None:
    """The compiled function for many firings side by side, if the filter has one."""
    return None if code.lanes is None else module_of(source(code, [code.lanes(dense) + "\n"]))


def source(code: FilterCode, definitions: list[str]) -> str:
    """The text of a compiled module with some functions of a filter."""
    helpers = content_key(compiled, arithmetic, firing, arithmetic)
    bindings = code.module.constants.bindings(COMPILED)
    constants = "".join(f"{name} = {_constant(value)}\n" for name, value in bindings.items())
    constants += "".join(f"D_{struct.name} = np.dtype({value_dtype(struct).descr!r})\n"
                         for struct in code.structs)
    return (FILTER_HEAD.format(name=code.name, helpers=helpers) + constants
            + "".join(f"\n\n@compiled\n{each}" for each in definitions))


def _constant(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, np.{value.dtype.name})"
    if isinstance(value, np.complexfloating):
        return f"np.complex64({complex(value)!r})"
    return f"np.float32('{float(value)!r}')" if isinstance(value, np.floating) else repr(value)


def content_key(*modules: ModuleType) -> str:
    """What stands for the texts of the modules that generated code calls."""
    texts = (Path(module.__file__).read_bytes() for module in modules)
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]
