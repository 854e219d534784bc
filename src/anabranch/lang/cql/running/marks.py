"""Marks: each row of the left with whether the right has a row that goes with it."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.ir.records import State
from anabranch.lang.cql.running.batches import Change
from anabranch.lang.cql.running.relations import Sides, change
from anabranch.lang.cql.running.shards import Part, Shard


class Members(State):
    """The rows of the left by their key, and how many rows of the right have a key."""

    left: dict = {}
    right: dict = {}


def marked(state: Members, shard: Shard) -> list[Part]:
    """A row of the left is marked when the right has a row of its key."""
    out: list[Change] = []
    for key, row, n in shard.left:
        out.append(((*row, key in state.right), n))
        change(state.left, key, row, n)
    before = {}
    for key, _, n in shard.right:
        before.setdefault(key, key in state.right)
        count = state.right.pop(key, 0) + n
        if count:
            state.right[key] = count
    for key, was in before.items():
        if was != (key in state.right):
            for row, n in state.left.get(key, {}).items():
                out += [((*row, was), -n), ((*row, not was), n)]
    return [Part(shard.timestamp, shard.bucket, shard.of, tuple(out))]


class Matches(Sides):
    """Besides, for each row of the left, how many rows of the right go with it."""

    found: dict = {}


def matched(state: Matches, shard: Shard, goes_with: Callable[[tuple, tuple], bool]) -> list[Part]:
    """As `marked`, where the rows of the right must also meet a condition with the left one."""
    before: dict[tuple, int] = {}
    out: list[Change] = []
    for key, row, n in shard.left:
        found = state.found.get((key, row))
        if found is None:
            found = sum(m for other, m in state.right.get(key, {}).items() if goes_with(row, other))
            state.found[key, row] = found
        out.append(((*row, found > 0), n))
        change(state.left, key, row, n)
        if row not in state.left.get(key, {}):
            del state.found[key, row]
    for key, other, n in shard.right:
        for row in state.left.get(key, {}):
            if goes_with(row, other):
                before.setdefault((key, row), state.found[key, row])
                state.found[key, row] += n
        change(state.right, key, other, n)
    for (key, row), was in before.items():
        if (was > 0) != (state.found[key, row] > 0):
            n = state.left[key][row]
            out += [((*row, was > 0), -n), ((*row, was <= 0), n)]
    return [Part(shard.timestamp, shard.bucket, shard.of, tuple(out))]
