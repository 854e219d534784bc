"""The native functions by which a plan's workers go through a slice together.

The user's `fork` and `join` work on shelves of states: a shelf has an array for each field of the
state, with an entry for each worker of a plan.

Each worker, a leaf of the plan's tree, calls `share` in a thread of its own. The rows lie as they
came; `stamps` has them sorted by the worker that takes them. Workers that take the same tags have
rows in common: who is free claims the next ones, in `claims`. The points are the events of workers
with others below them: at a point all below it stop, and the states are joined on the way up, at
each worker by the second that comes there. Who comes to the top takes the point's events, forks the
state down again, and lets all go. The last point of a slice is at the root: its state is kept as
the one from which a slice that native code cannot do begins again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anabranch.ir.function import Function
from anabranch.ir.records import State
from anabranch.ir.synchronization import Synchronized
from anabranch.kernels.native.stage.module import ENTRY, INNER, loop
from anabranch.kernels.native.stage.operators import begin, state_shape
from anabranch.kernels.native.state.layout import ROW, StateTable
from anabranch.kernels.native.team.sides import TAKES, ForkSide
from anabranch.kernels.native.translate.body import Body, Registry
from anabranch.kernels.native.translate.statements import Giving, translate
from anabranch.kernels.native.translate.values import (
    CONTEXT,
    Rec,
    Unsupported,
    Value,
    common,
    flag,
    leaves,
)
from anabranch.kernels.native.translate.walk import shape_of, thing, truth

SHELF = "<shelf>"
"""Stands in generated text for the arrays of the shelf."""


def shelf(name: str) -> str:
    """The name of the array that has a field of all workers' states."""
    return f"h_{name}"


def write_forks(kind: Synchronized, registry: Registry, tags: list) -> list[str]:
    """The functions `fork_state(whole, left, right)` and `join_state(left, right, whole)`, whose
    arguments are places on the shelf; `Unsupported` when one of them has no native form. The tags
    for which the fork asks are added to `tags`."""
    if len(kind.forks) != 1 or len(kind.joins) != 1 or len(kind.states) != 1:
        raise Unsupported("has several types of state")
    fork, join = kind.forks[0].function, kind.joins[0].function
    return [*_function("fork_state", ("whole", "left", "right"),
                       _forked(kind.state, fork, registry, tags)),
            *_function("join_state", ("left", "right", "whole"),
                       _joined(kind.state, join, registry))]


def _function(name: str, places: tuple[str, ...], body: Body) -> list[str]:
    head = f"def {name}({', '.join([CONTEXT, SHELF, *places])}):"
    return ["", "", INNER, head,
            *("    " * depth + line for depth, line in body.lines)]


def _forked(state: type, fork: Function, registry: Registry, tags: list) -> Body:
    body = _begun(fork, state, {"s": "whole"}, registry)
    sides = [name for name in body.syntax.parameters if name not in body.names]
    body.names |= {name: ForkSide(place, tags) for name, place in zip(sides, ("left", "right"))}
    body.assigned |= set(sides)

    def returned(body: Body, node: ast.expr) -> None:
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            raise body.refuse(node, f"gives {ast.unparse(node)}")
        for part, place in zip(node.elts, ("left", "right")):
            _put(body, node, state, _state(body, part), place)
    return _translated(body, returned)


def _joined(state: type, join: Function, registry: Registry) -> Body:
    body = _begun(join, state, {"one": "left", "other": "right"}, registry)
    return _translated(body, lambda body, node: _put(body, node, state, _state(body, node),
                                                     "whole"))


def _begun(function: Function, state: type, places: dict[str, str], registry: Registry) -> Body:
    """Loads the states of the first parameters from the shelf."""
    shapes = [state_shape(state, function.span, prefix) for prefix in places]
    body = begin(function, shapes, registry)
    for shape, (prefix, place) in zip(shapes, places.items()):
        for target, field in _scalars(shape, prefix):
            body.write(f"{target} = {shelf(field)}[{place}]")
    return body


def _translated(body: Body, returned: Callable[[Body, ast.expr], None]) -> Body:
    if body.syntax.is_generator:
        raise Unsupported("gives a generator", body.syntax.span)
    translate(body, Giving(None, _chosen(returned)))
    return body


def _chosen(given: Callable[[Body, ast.expr], None]) -> Callable[[Body, ast.expr], None]:
    """Gives the one or the other where a condition chooses between two."""
    def returned(body: Body, node: ast.expr) -> None:
        if not isinstance(node, ast.IfExp):
            given(body, node)
            return
        for head, branch in ((f"if {truth(body, node.test)}:", node.body), ("else:", node.orelse)):
            body.write(head)
            with body.indented():
                returned(body, branch)
    return returned


def _scalars(shape: Rec, prefix: str) -> list[tuple[str, str]]:
    """The variables of a state, each with the field of the table that it is."""
    found = []
    for (variable, value), (field, _) in zip(leaves(shape, prefix), leaves(shape, "s")):
        found.append((variable, field))
        if value.flagged:
            found.append((flag(variable), flag(field)))
    return found


def _put(body: Body, node: ast.expr, state: type, given: Rec, place: str) -> None:
    wanted = state_shape(state, body.syntax.span)
    if given.cls is not state or not _fits(wanted, given):
        raise body.refuse(node, f"gives {ast.unparse(node)}")
    codes = [code for (_, leaf), (_, value) in zip(leaves(wanted, "s"), leaves(given, "s"))
             for code in body.passed(leaf, value)]
    for (_, field), code in zip(_scalars(wanted, "s"), codes):
        body.write(f"{shelf(field)}[{place}] = {code}")


def _fits(wanted: Rec, given: Rec) -> bool:
    held = dict(leaves(given, ""))
    return common([wanted, given]) is not None and all(
        leaf.none or not held[name].none for name, leaf in leaves(wanted, ""))


def _state(body: Body, node: ast.expr) -> Rec:
    """A state that a function gives: one of its own, or one that it makes."""
    if isinstance(node, ast.Name):
        found = thing(body, node)
        if isinstance(found, Rec) and issubclass(found.cls, State):
            return found
    if isinstance(node, ast.Call):
        made = thing(body, node.func)
        if isinstance(made, type) and issubclass(made, State):
            return _made(body, node, made)
    raise body.refuse(node, f"gives {ast.unparse(node)}")


def _made(body: Body, node: ast.Call, cls: type) -> Rec:
    fields = dict.fromkeys(cls.__record_fields__)
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    unknown = any(k.arg not in fields for k in node.keywords)
    if cls.__init__ is not State.__init__ or starred or unknown or len(node.args) > len(fields):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    given = dict(zip(fields, (shape_of(body, a) for a in node.args)))
    given |= {k.arg: shape_of(body, k.value) for k in node.keywords}
    return Rec(cls, {name: given[name] if name in given else _default(body, node, cls, name)
                     for name in fields})


def _default(body: Body, node: ast.Call, cls: type, name: str) -> Value:
    value = body.known(cls.__record_fields__[name])
    if not isinstance(value, Value):
        raise body.refuse(node, f"uses the default of {cls.__name__}.{name}")
    return value


APART = 16
"""Numbers that different threads change lie so many words apart, in cache lines of their own."""
LET_GO = 8
POINT, AT_TOP, RETURN_TO, CLAIMED, FREED = 0, 1, 2, 3, 4
"""Where a worker stands: its next point; whether it has that point's state; the row of its own
that comes next; the one behind those that it has claimed; how often it has been let go."""
PROGRESS = 5

TEXT = f'''

{INNER}
def climbed({CONTEXT}, {SHELF}, board, parents, lefts, rights, leaf, top):
    node = leaf
    while node != top:
        node = parents[node]
        if fetch_add(board, {APART} * node, 1) % 2 == 0:
            return False
        join_state({CONTEXT}, {SHELF}, lefts[node], rights[node], node)
    return True


{INNER}
def forked({CONTEXT}, {SHELF}, lefts, rights, lasts, top):
    for node in range(top, lasts[top]):
        if lefts[node] >= 0:
            fork_state({CONTEXT}, {SHELF}, node, lefts[node], rights[node])


{INNER}
def let_go(board, lefts, lasts, top):
    for node in range(top, lasts[top]):
        if lefts[node] < 0:
            fetch_add(board, {APART} * node + {LET_GO}, 1)


{ENTRY}
def spread({CONTEXT}, {SHELF}, lefts, rights, lasts):
    copy_state({SHELF}, 0, len(lefts))
    forked({CONTEXT}, {SHELF}, lefts, rights, lasts, 0)


{ENTRY}
def alone({CONTEXT}, {SHELF}, lefts, rights, lasts, end):
    walk({CONTEXT}, end)
    keep_state({CONTEXT}, {SHELF}, 0)
    copy_state({SHELF}, 0, len(lefts))
    forked({CONTEXT}, {SHELF}, lefts, rights, lasts, 0)
    return True


{ENTRY}
def share({CONTEXT}, {SHELF}, board, parents, lefts, rights, lasts, leaf, at, cuts, tops, firsts,
          ends, claims, sharers):
    stopped = {APART} * len(lefts)
    while at[{POINT}] < len(tops):
        point = at[{POINT}]
        top = tops[point]
        if leaf < top or leaf >= lasts[top]:
            at[{POINT}] += 1
            continue
        if not at[{AT_TOP}]:
            walk({CONTEXT}, at[{CLAIMED}])
            first, last = claimed(claims, 0, cuts[point], sharers)
            if first < last:
                c[{ROW}], at[{CLAIMED}] = first, last
                continue
            keep_state({CONTEXT}, {SHELF}, leaf)
            if not climbed({CONTEXT}, {SHELF}, board, parents, lefts, rights, leaf, top):
                at[{FREED}] += 1
                if not awaited(board, {APART} * leaf + {LET_GO}, at[{FREED}], stopped):
                    return False
                load_state({CONTEXT}, {SHELF}, leaf)
                at[{POINT}] += 1
                continue
            load_state({CONTEXT}, {SHELF}, top)
            at[{AT_TOP}], at[{RETURN_TO}] = 1, c[{ROW}]
            c[{ROW}] = firsts[point]
        walk({CONTEXT}, ends[point])
        keep_state({CONTEXT}, {SHELF}, top)
        if point == len(tops) - 1:
            copy_state({SHELF}, top, len(lefts))
        forked({CONTEXT}, {SHELF}, lefts, rights, lasts, top)
        let_go(board, lefts, lasts, top)
        load_state({CONTEXT}, {SHELF}, leaf)
        c[{ROW}], at[{AT_TOP}] = at[{RETURN_TO}], 0
        at[{FREED}] += 1
        at[{POINT}] += 1
    return True
'''


def shared_run(table: StateTable, forks: list[str]) -> list[str]:
    """The lines of `share`; of `spread`, which forks the root's state for all at first; and of
    `alone`, with which one goes through a slice from the root's state, and forks it for all."""
    lines = ["from anabranch.kernels.native.library.atomics import awaited, claimed, fetch_add",
             *forks, *loop("walk", "size", "op0", [table], order="stamps"), *_copying(table),
             *TEXT.splitlines()]
    arrays = ", ".join([TAKES, *(shelf(f.name) for f in table.fields)])
    return [line.replace(SHELF, arrays) for line in lines]


def _copying(table: StateTable) -> list[str]:
    names = [(table.array(f.name), shelf(f.name)) for f in table.fields]
    return ["", "", INNER, f"def load_state({CONTEXT}, {SHELF}, place):",
            f"    c[{table.count}] = 1", *(f"    {own}[0] = {on}[place]" for own, on in names),
            "", "", INNER, f"def keep_state({CONTEXT}, {SHELF}, place):",
            *(f"    {on}[place] = {own}[0]" for own, on in names),
            "", "", INNER, f"def copy_state({SHELF}, one, other):",
            *(f"    {on}[other] = {on}[one]" for _, on in names)]
