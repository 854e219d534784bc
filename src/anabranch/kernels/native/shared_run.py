"""The native function with which the workers of a plan go through a slice together.

Each worker, a leaf of the plan's tree, calls `share` in a thread of its own. The rows lie as they
came; `stamps` has them sorted by the worker that takes them. Workers that take the same tags have
rows in common: who is free claims the next ones, in `claims`. The points are the events of workers
with others below them: at a point all below it stop, and the states are joined on the way up, at
each worker by the second that comes there. Who comes to the top takes the point's events, forks the
state down again, and lets all go. The last point of a slice is at the root: its state is kept as
the one from which a slice that native code cannot do begins again.
"""

from __future__ import annotations

from anabranch.kernels.native.forks import SHELF, shelf
from anabranch.kernels.native.functions import ENTRY, INNER, loop
from anabranch.kernels.native.layout import ROW, Table
from anabranch.kernels.native.sides import TAKES
from anabranch.kernels.native.values import CONTEXT

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


def shared_run(table: Table, forks: list[str]) -> list[str]:
    """The lines of `share`; of `spread`, which forks the root's state for all at first; and of
    `alone`, with which one goes through a slice from the root's state, and forks it for all."""
    lines = ["from anabranch.kernels.native.atomic import awaited, claimed, fetch_add", *forks,
             *loop("walk", "size", "op0", [table], order="stamps"), *_copying(table),
             *TEXT.splitlines()]
    arrays = ", ".join([TAKES, *(shelf(f.name) for f in table.fields)])
    return [line.replace(SHELF, arrays) for line in lines]


def _copying(table: Table) -> list[str]:
    names = [(table.array(f.name), shelf(f.name)) for f in table.fields]
    return ["", "", INNER, f"def load_state({CONTEXT}, {SHELF}, place):",
            f"    c[{table.count}] = 1", *(f"    {own}[0] = {on}[place]" for own, on in names),
            "", "", INNER, f"def keep_state({CONTEXT}, {SHELF}, place):",
            *(f"    {on}[place] = {own}[0]" for own, on in names),
            "", "", INNER, f"def copy_state({SHELF}, one, other):",
            *(f"    {on}[other] = {on}[one]" for _, on in names)]
