"""A whole program item by item, each filter firing when somebody needs it.

So run programs whose rates are not always the same, and those that send messages: only their order
of firings says when a message comes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from anabranch.errors import RunError
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.messaging import Route, by_receiver, rules_of
from anabranch.lang.streamit.running.channels import Channel, Fetched, Grown
from anabranch.lang.streamit.running.mail import Mailbox, Sender
from anabranch.lang.streamit.running.portals import Portal
from anabranch.sdf.demand import Demand, Ended, Stuck
from anabranch.sdf.flow import Actor, Rates, Split
from anabranch.sdf.parts import Cut
from anabranch.sdf.ranges import Range, highest, within

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
        self.channels = [Channel(list(channel.initial)) for channel in self.flow.channels]
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

    def _inputs(self, index: int) -> list[tuple[int, Channel]]:
        return [(place, self.channels[place]) for place, _ in self.flow.inputs(index)]

    def _outputs(self, index: int) -> list[tuple[int, Channel]]:
        return [(place, self.channels[place]) for place, _ in self.flow.outputs(index)]
