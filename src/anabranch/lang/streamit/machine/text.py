"""The code of a machine: a function that lets its actors fire until none can.

It depends on the kinds of actors alone, so that programs of the same filters share it, however many
instances they have.
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.kernels.native.cache import module_of
from anabranch.lang.streamit.compile import content_key, functions_module, lanes_module
from anabranch.lang.streamit.machine.part import Kind
from anabranch.lang.streamit.machine.values import names_of, place_text
from anabranch.lang.streamit.running import firing

HEAD = '''"""A machine. What it calls: {helpers}"""
from anabranch.lang.streamit.running.compiled import compiled
from anabranch.lang.streamit.running.firing import *
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


def machine_function(kinds: list[Kind]) -> Callable:
    """The compiled function that fires actors of these kinds until none can."""
    return module_of(machine_text(kinds)).drive


def machine_text(kinds: list[Kind]) -> str:
    imports = "".join(f"import {_module(kind)} as work_{k}\n" for k, kind in enumerate(kinds)
                      if kind.code)
    text = HEAD.format(helpers=content_key(firing), imports=imports,
                       arrays=", ".join(names_of(kinds)))
    base = 0
    for k, kind in enumerate(kinds):
        fires = _fires(k, kind, base)
        text += f"            {'el' if k else ''}if kind == {k}:\n{_indented(fires, 4)}\n"
        base += len(kind.code.pieces) if kind.code else 0
    return text + TAIL


def _module(kind: Kind) -> str:
    if kind.dense is not None:
        return lanes_module(kind.code, kind.dense).__name__
    return functions_module(kind.code).__name__


def _fires(k: int, kind: Kind, base: int) -> str:
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


def _calls(k: int, kind: Kind) -> str:
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


def _values(kind: Kind) -> list[str]:
    texts, column = [], 0
    for type, is_field in [*((t, False) for t in kind.code.environment_types),
                           *((t, True) for _, t in kind.code.fields)]:
        text, column = place_text(type, column, is_field)
        texts.append(text)
    return texts


def _indented(text: str, depth: int) -> str:
    return "\n".join("    " * depth + line for line in text.split("\n"))
