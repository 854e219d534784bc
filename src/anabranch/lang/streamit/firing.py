"""What the operators of the graph do with single items: the wrapper rules of filters, splitters
and joiners, in Brooklet's form `(item, port, *variables) -> (lists, new values)`."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.lang.streamit.files import Block, Tick
from anabranch.lang.streamit.instances import Work
from anabranch.sdf.flow import Actor, Rates


@dataclass
class Tape:
    """The items that a filter has not taken yet, how often it has fired, and may fire at most."""

    most: int | None
    fired: int = 0
    held: list = field(default_factory=list)

    def may_fire(self) -> bool:
        return self.most is None or self.fired < self.most


class Fields:
    """A filter's own variables."""

    def __init__(self, work: Work):
        self.work, self.values = work, work.fresh()


@dataclass
class Cursor:
    """How far a splitter has come."""

    place: int = 0


class Gathering:
    """What a joiner holds of each input, whose turn it is, and how many items it may still give."""

    def __init__(self, initial: list[tuple], free: bool):
        self.held = [list(items) for items in initial]
        self.turn, self.taken = 0, 0
        self.allowed = None if free else 0


def identity(item: object, port: int) -> tuple:
    return [[item]], []


def values(block: Block) -> list:
    return block.values


def limited(most: int, item: object, port: int, cursor: Cursor) -> tuple:
    """The first items, and no more."""
    cursor.place += 1
    return [[item] if cursor.place <= most else []], [cursor]


def filter(actor: Actor, shares: tuple[int, int], item: object, port: int, tape: Tape,
           fields: Fields) -> tuple:
    """Keeps the item, and fires while there are enough; a tick brings none."""
    if port == 0:
        tape.held.append(item)
    out, lines = [], []
    while tape.may_fire() and len(tape.held) >= rates_of(actor, tape.fired).peeks[0]:
        _fire(actor, tape, fields, out, lines)
        if not rates_of(actor, tape.fired).pops[0]:
            break
    return _lists(actor, out, lines), [tape, fields]


def start(actor: Actor, shares: tuple[int, int], tick: Tick, port: int, tape: Tape,
          fields: Fields) -> tuple:
    """Fires as often as a period says."""
    out, lines = [], []
    for _ in range(shares[0] if tick.number == 0 else shares[1]):
        _fire(actor, tape, fields, out, lines)
    return _lists(actor, out, lines), [tape, fields]


def rates_of(actor: Actor, fired: int) -> Rates:
    return actor.first if actor.first is not None and fired == 0 else actor.rates


def _fire(actor: Actor, tape: Tape, fields: Fields, out: list, lines: list[str]) -> None:
    rates, work = rates_of(actor, tape.fired), fields.work
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


def split(weights: tuple[int, ...], item: object, port: int, cursor: Cursor) -> tuple:
    """The item to the output whose turn it is."""
    lists: list[list] = [[] for _ in weights]
    lists[_output(weights, cursor.place)].append(item)
    cursor.place = (cursor.place + 1) % sum(weights)
    return lists, [cursor]


def duplicate(outputs: int, item: object, port: int) -> tuple:
    """The item to every output."""
    return [[item] for _ in range(outputs)], []


def _output(weights: tuple[int, ...], place: int) -> int:
    for output, weight in enumerate(weights):
        if place < weight:
            return output
        place -= weight
    raise ValueError(f"place {place} is outside of the weights")


def join(weights: tuple[int, ...], shares: tuple[int, int] | None, item: object, port: int,
         state: Gathering) -> tuple:
    """Keeps the item, and gives what can be given in turn."""
    if port < len(weights):
        state.held[port].append(item)
    else:
        state.allowed += (shares[0] if item.number == 0 else shares[1]) * sum(weights)
    out = []
    while _turned(weights, state) and state.held[state.turn] and state.allowed != 0:
        out.append(state.held[state.turn].pop(0))
        state.taken += 1
        if state.allowed is not None:
            state.allowed -= 1
    return [out], [state]


def _turned(weights: tuple[int, ...], state: Gathering) -> bool:
    """Goes on to the next input when this one has given its share."""
    while state.taken >= weights[state.turn]:
        state.turn, state.taken = (state.turn + 1) % len(weights), 0
    return True
