"""What the graph's operators do with items: filters, splitters and joiners.

They have Brooklet's form `(item, port, *variables) -> (lists, new values)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from anabranch.lang.streamit.files import FileBlock, Tick
from anabranch.lang.streamit.instances import Work
from anabranch.lang.streamit.sdf.flow import Actor


@dataclass
class ItemTape:
    """The items that a filter has not taken yet, how often it has fired, and may fire at most."""

    most: int | None
    fired: int = 0
    held: list = field(default_factory=list)

    def may_fire(self) -> bool:
        return self.most is None or self.fired < self.most


class FilterFields:
    """A filter's own variables."""

    def __init__(self, work: Work):
        self.work, self.values = work, work.fresh()


@dataclass
class Cursor:
    """How many items there were."""

    place: int = 0


class JoinedItems:
    """What a joiner holds of each input, and how many rounds it may still give."""

    def __init__(self, initial: list[tuple], free: bool):
        self.held = [list(items) for items in initial]
        self.rounds = None if free else 0


def identity(item: object, port: int) -> tuple:
    return [[item]], []


def values(block: FileBlock) -> list:
    return block.values


def limited(most: int, item: object, port: int, cursor: Cursor) -> tuple:
    """The first items, and no more."""
    cursor.place += 1
    return [[item] if cursor.place <= most else []], [cursor]


def filter(actor: Actor, shares: tuple[int, int], item: object, port: int, tape: ItemTape,
           fields: FilterFields) -> tuple:
    """Keeps the item, and fires while there are enough; a tick brings none."""
    if port == 0:
        tape.held.append(item)
    out, lines = [], []
    while tape.may_fire() and len(tape.held) >= actor.upcoming(tape.fired).peeks[0]:
        _fire(actor, tape, fields, out, lines)
        if not actor.upcoming(tape.fired).pops[0]:
            break
    return _lists(actor, out, lines), [tape, fields]


def each(actor: Actor, fields: tuple, item: object, port: int) -> tuple:
    """A firing for every item, of a filter that changes no field."""
    work, push = actor.body, sum(actor.rates.pushes)
    given, lines = [None] * push, []
    work.functions["work"](1, 1, 1, push, [item], 0, given, 0, lines, *work.environment, *fields)
    return _lists(actor, given, lines), []


def start(actor: Actor, shares: tuple[int, int], tick: Tick, port: int, tape: ItemTape,
          fields: FilterFields) -> tuple:
    """Fires as often as a period says."""
    out, lines = [], []
    for _ in range(shares[0] if tick.number == 0 else shares[1]):
        _fire(actor, tape, fields, out, lines)
    return _lists(actor, out, lines), [tape, fields]


def _fire(actor: Actor, tape: ItemTape, fields: FilterFields, out: list, lines: list[str]) -> None:
    rates, work = actor.upcoming(tape.fired), fields.work
    peek, pop = (rates.peeks[0], rates.pops[0]) if rates.pops else (0, 0)
    push = rates.pushes[0] if rates.pushes else 0
    given = [None] * push
    name = "prework" if rates is actor.first else "work"
    work.functions[name](1, peek, pop, push, tape.held, 0, given, 0, lines,
                         *work.environment, *fields.values)
    del tape.held[:pop]
    out.extend(given)
    tape.fired += 1


def _lists(actor: Actor, out: list, lines: list[str]) -> list[list]:
    prints = actor.body.code.prints
    return [*([out] if actor.rates.pushes else []), *([lines] if prints else [])]


def split(weights: tuple[int, ...], item: object, port: int, held: list) -> tuple:
    """Keeps the item until a round is full, and deals the round out."""
    held.append(item)
    if len(held) < sum(weights):
        return [[] for _ in weights], [held]
    ends = list(accumulate(weights))
    return [held[end - weight:end] for end, weight in zip(ends, weights)], [[]]


def duplicate(outputs: int, item: object, port: int) -> tuple:
    """The item to every output."""
    return [[item] for _ in range(outputs)], []


def join(weights: tuple[int, ...], shares: tuple[int, int] | None, item: object, port: int,
         state: JoinedItems) -> tuple:
    """Keeps the item, and gives the rounds that are full."""
    if port < len(weights):
        state.held[port].append(item)
    else:
        state.rounds += shares[0] if item.number == 0 else shares[1]
    out = []
    while state.rounds != 0 and all(len(h) >= w for h, w in zip(state.held, weights)):
        for held, weight in zip(state.held, weights):
            out += held[:weight]
            del held[:weight]
        state.rounds = None if state.rounds is None else state.rounds - 1
    return [out], [state]
