"""A `try` as native code, as far as it is known what its body may raise there.

What divides, looks up a key or an index, or makes a number of a text says in `c` what Python would
raise, and the handlers are asked in their order. What else stops a row within a `try`, and what no
handler is for, is Python's to do: it begins the row anew.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from anabranch.kernels.native.library.raising import KINDS, RAISED, TRIED
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.values import CONTEXT

CALLS = re.compile(rf"(?<![\w.])({'|'.join(TRIED)})\(")

Block = Callable[[list[ast.stmt]], bool]
"""Writes statements; whether control can go on behind them."""


def as_tried(line: object) -> object:
    """A line that says in `c` what it raises.

    >>> as_tried("x = found(tab0, known0, mod(a, b))")
    'x = tried_found(c, tab0, known0, tried_mod(c, a, b))'
    """
    return CALLS.sub(r"tried_\1(c, ", line) if isinstance(line, str) else line


def write_try(body: Body, node: ast.Try, block: Block) -> bool:
    """Writes the statement; whether control can go on behind it. Handlers stand behind it, as Numba
    takes no calls of many arguments within; so does what hands on the last item."""
    chosen, before = _chosen(body, node), set(body.assigned)
    went = f"went{len(body.lines)}"
    body.write(f"c[{RAISED}] = 0")
    body.write(f"{went} = False")
    body.write("try:")
    falls, last = _within(body, node, went, block)
    body.write("except Exception: pass")
    body.write(f"if {went}:")
    with body.indented():
        if last is not None:
            body.write(last)
        behind = falls and block(node.orelse)
        body.write("pass")
    ways = [set(body.assigned)] if behind else []
    body.write("else:")
    with body.indented():
        ways += _handlers(body, node, chosen, before, block)
    body.assigned = set.intersection(*ways) if ways else before
    return bool(ways)


def _within(body: Body, node: ast.Try, went: str, block: Block) -> tuple[bool, object]:
    """Writes what is tried; whether control goes on behind it, and what hands on an item there."""
    first = len(body.lines)
    body.tries += 1
    with body.indented():
        falls, last = block(node.body), None
        depth, line = body.lines[-1]
        if depth == body.depth and not isinstance(line, str):
            last, body.lines[-1] = line.passing(), (depth, line.taking())
        body.write(f"{went} = True" if falls else "pass")
    body.tries -= 1
    body.lines[first:] = [(depth, as_tried(line)) for depth, line in body.lines[first:]]
    if any(map(_calls, (line for _, line in body.lines[first:]))):
        raise body.refuse(node, "calls other functions within a try")
    return falls, last


def _calls(line: object) -> bool:
    """Whether it calls a function of the stage, which takes all that it has."""
    codes = [line] if isinstance(line, str) else [*line.codes, CONTEXT * line.passes]
    return any(CONTEXT in code for code in codes)


def _handlers(body: Body, node: ast.Try, chosen: dict[int, list[int]], before: set[str],
              block: Block) -> list[set[str]]:
    """The names that have values behind each handler from which control goes on."""
    ways, word = [], "if"
    for number, handler in enumerate(node.handlers):
        kinds = chosen.get(number)
        if not kinds:
            continue
        body.write(f"{word} {' or '.join(f'c[{RAISED}] == {kind}' for kind in kinds)}:")
        body.assigned, word = set(before), "elif"
        with body.indented():
            body.write(f"c[{RAISED}] = 0")
            if block(handler.body):
                ways.append(set(body.assigned))
    body.write("else:")
    with body.indented():
        # What an operator behind this one leaves is no business of handlers here.
        body.write(f"c[{RAISED}] = 0")
        body.write("raise Unsure")
    return ways


def _chosen(body: Body, node: ast.Try) -> dict[int, list[int]]:
    """By handler, what it is the first one for. `Unsupported` for other handlers."""
    if node.finalbody:
        raise body.refuse(node, "has a finally")
    chosen: dict[int, list[int]] = {}
    for kind, cls in KINDS.items():
        found = next((n for n, handler in enumerate(node.handlers)
                      if any(issubclass(cls, caught) for caught in _caught(body, handler))), None)
        if found is not None:
            chosen.setdefault(found, []).append(kind)
    if not chosen:
        raise body.refuse(node, "catches what no native code raises")
    return chosen


def _caught(body: Body, handler: ast.ExceptHandler) -> tuple[type, ...]:
    """The classes that a handler is for."""
    if handler.type is None:
        return (BaseException,)
    given = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    found = tuple(body.syntax.resolve(part.id) if isinstance(part, ast.Name) else None
                  for part in given)
    if handler.name or not all(isinstance(cls, type) and issubclass(cls, BaseException)
                               for cls in found):
        raise body.refuse(handler, "catches what is not known by its name")
    return found
