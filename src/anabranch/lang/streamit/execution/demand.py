"""A whole program item by item, each filter firing when somebody needs it.

Tapes fetch what is not there yet; a message comes before a firing of its receiver.

So run programs whose rates are not always the same, and those that send messages: only their order
of firings says when a message comes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from anabranch.core.errors import RunError
from anabranch.lang.streamit.execution.plain import Portal
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.messages import Route, Rules, by_receiver, rules_of
from anabranch.lang.streamit.sdf.demand import Demand, Ended, Stuck
from anabranch.lang.streamit.sdf.flow import Actor, Range, Rates, Split, highest, within
from anabranch.lang.streamit.sdf.schedule import Cut

NO_TAPES = (0, 0, (), (), (0, 0))


@dataclass(frozen=True)
class DemandPlan:
    """A program that runs on demand: its parts, its messages, and which latencies they have."""

    cut: Cut
    routes: tuple[Route, ...] = ()
    lowest: bool = True


class Demanded:
    """The state of such a program. What it prints and writes is taken out by `given`."""

    def __init__(self, plan: DemandPlan):
        self.plan, self.flow = plan, plan.cut.schedule.flow
        self.channels = [ItemChannel(list(channel.initial)) for channel in self.flow.channels]
        self.numbers = {id(actor.body): index for index, actor in enumerate(self.flow.actors)}
        rules = rules_of(self.flow, plan.routes, plan.lowest)
        self.demand = Demand(self.flow, lambda index: len(self.channels[index]), self._fire,
                             by_receiver(rules))
        self.mail: dict[int, Mailbox] = defaultdict(Mailbox)
        works = {index: actor.body for index, actor in enumerate(self.flow.actors)
                 if isinstance(actor.body, Work)}
        self.fields = {index: work.fresh() for index, work in works.items()}
        self.environments = {
            index: tuple(Sender(self, index, value, rules) if isinstance(value, Portal) else value
                         for value in work.environment) for index, work in works.items()}
        self.values: dict[str, np.ndarray] = {}
        self.broken: set[int] = set()
        self.lines: list[str] = []
        self.written: dict[str, list] = {}
        self.periods, self.ended = -1, False

    def run(self, ticks: int | None) -> None:
        """Runs until there was a period for each tick, or the files end. The first tick is for
        what happens before the first period."""
        while not self.ended and (ticks is None or self.periods + 1 < ticks):
            self._period()

    def _period(self) -> None:
        self.periods += 1
        for actor in self.plan.cut.driven:
            try:
                self.demand.advance(actor, self.plan.cut.schedule.most(actor, self.periods))
            except Ended:
                self.ended = True
            except Stuck as stuck:
                waits = self.flow.actors[stuck.actor]
                raise RunError(f"'{waits.name}' waits for items that come from itself",
                               waits.span) from None

    def given(self, writers: tuple[str, ...]) -> tuple[list[str], Iterator[list]]:
        """The lines, and the values of each writer, since the last time."""
        lines, written = self.lines, self.written
        self.lines, self.written = [], {}
        return lines, (written.get(name, []) for name in writers)

    def _fire(self, index: int) -> None:
        actor = self.flow.actors[index]
        if isinstance(actor.body, Work):
            self._work(index, actor, actor.body)
        elif isinstance(actor.body, File):
            self._file(index, actor)
        else:
            self._move(index, actor)

    def _file(self, index: int, actor: Actor) -> None:
        if not actor.body.reads:
            (_, channel), = self._inputs(index)
            self.written.setdefault(actor.name, []).extend(channel.take(1))
            return
        place = self.demand.fired[index]
        if place >= len(self.values[actor.name]):
            raise Ended
        (_, channel), = self._outputs(index)
        channel.put(self.values[actor.name][place:place + 1].tolist())

    def _move(self, index: int, actor: Actor) -> None:
        """Splitters, joiners and the identity."""
        items = [item for channel, rate in zip(self._inputs(index), actor.rates.pops)
                 for item in channel[1].take(rate)]
        copies = isinstance(actor.body, Split) and actor.body.weights is None
        for (_, channel), rate in zip(self._outputs(index), actor.rates.pushes):
            channel.put(items if copies else items[:rate])
            del items[:0 if copies else rate]

    def _work(self, index: int, actor: Actor, work: Work) -> None:
        if index in self.broken:
            raise Ended
        self._deliver(index, work)
        rates = actor.upcoming(self.demand.fired[index])
        try:
            taken, given = self._called(index, actor, work, rates)
        except Ended:
            self.broken.add(index)
            raise
        for _, channel in self._inputs(index):
            channel.drop(taken)
        for _, channel in self._outputs(index):
            channel.put(given)

    def _called(self, index: int, actor: Actor, work: Work, rates: Rates) -> tuple[int, list]:
        """Calls the function of a firing; how many items it took, and those that it gave."""
        peek, pop = (rates.peeks[0], rates.pops[0]) if rates.pops else (0, 0)
        push = rates.pushes[0] if rates.pushes else 0
        tape, begin = self._tape(index, peek)
        given = Grown() if isinstance(push, Range) else [None] * push
        name = "prework" if rates is actor.first else "work"
        end, pushed = work.functions[name](
            1, highest(peek), highest(pop), highest(push), tape, begin, given, 0, self.lines,
            *self.environments[index], *self.fields[index])
        if not within(pop, end - begin) or not within(push, pushed):
            raise RunError("a firing did not keep to its rates", actor.span,
                           expected=f"pop {pop}, push {push}",
                           got=f"it popped {end - begin} and pushed {pushed} items")
        return int(end - begin), given

    def _tape(self, index: int, peek: int | Range) -> tuple[object, int]:
        """What a filter reads, and where it begins."""
        inputs = self._inputs(index)
        if not inputs:
            return (), 0
        (place, channel), = inputs
        if not isinstance(peek, Range):
            return channel.items, channel.head
        fetch = partial(self._fetch, self.flow.channels[place].source)
        return Fetched(channel, fetch), channel.head

    def _fetch(self, source: int) -> None:
        self.demand.advance(source, self.demand.fired[source] + 1)

    def _deliver(self, index: int, work: Work) -> None:
        for handler, arguments in self.mail[index].due(self.demand.fired[index] + 1):
            work.functions[f"on_{handler}"](*arguments, *NO_TAPES, self.lines,
                                            *self.environments[index], *self.fields[index])

    def _inputs(self, index: int) -> list[tuple[int, ItemChannel]]:
        return [(place, self.channels[place]) for place, _ in self.flow.inputs(index)]

    def _outputs(self, index: int) -> list[tuple[int, ItemChannel]]:
        return [(place, self.channels[place]) for place, _ in self.flow.outputs(index)]


MANY = 4096


@dataclass
class ItemChannel:
    """Items in order; those before `head` have been taken."""

    items: list = field(default_factory=list)
    head: int = 0

    def __len__(self) -> int:
        return len(self.items) - self.head

    def put(self, items: Iterable) -> None:
        self.items.extend(items)

    def take(self, count: int) -> list:
        """The next items."""
        taken = self.items[self.head:self.head + count]
        self.drop(count)
        return taken

    def drop(self, count: int) -> None:
        """Forgets items, and now and then the room that they took."""
        self.head += count
        if self.head > MANY and 2 * self.head > len(self.items):
            del self.items[:self.head]
            self.head = 0


@dataclass
class Fetched:
    """The tape of a filter that takes as many items as it likes: they come when it asks."""

    channel: ItemChannel
    fetch: Callable[[], None]

    def __getitem__(self, place: int) -> object:
        while place >= len(self.channel.items):
            self.fetch()
        return self.channel.items[place]


class Grown(list):
    """The tape of a filter that gives as many items as it likes."""

    def __setitem__(self, place: int, item: object) -> None:
        self.append(item)


@dataclass
class Mailbox:
    """The messages that a filter has still to get, those first that come first."""

    waiting: list[tuple[int, str, tuple]] = field(default_factory=list)

    def put(self, due: int, handler: str, arguments: tuple) -> None:
        """Adds a message behind all that come before the same firing."""
        place = len(self.waiting)
        while place and self.waiting[place - 1][0] > due:
            place -= 1
        self.waiting.insert(place, (due, handler, arguments))

    def due(self, firing: int) -> Iterator[tuple[str, tuple]]:
        """Takes out what comes before a firing."""
        while self.waiting and self.waiting[0][0] <= firing:
            _, handler, arguments = self.waiting.pop(0)
            yield handler, arguments


@dataclass
class Sender:
    """A portal as a filter sees it that sends to it."""

    program: Demanded
    actor: int
    portal: Portal
    rules: Rules

    def send(self, handler: str, arguments: tuple, low: int | None, high: int | None) -> None:
        """Puts a message in the mailboxes of all receivers."""
        fired = self.program.demand.fired
        for body in self.portal.receivers:
            receiver = self.program.numbers[id(body)]
            rule = self.rules.get(Route(self.actor, receiver, low, high))
            if rule is None and low is not None:
                raise RunError("the latency of a message was not known before",
                               got=f"[{low}:{high}]")
            due = fired[receiver] + 1 if rule is None else rule.due(fired[self.actor] + 1)
            self.program.mail[receiver].put(due, handler, arguments)
