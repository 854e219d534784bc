"""What fires before the first period and in every period, and parts with schedules.

How often each actor fires in one period, so that every channel holds as much after as before.

>>> from anabranch.lang.streamit.sdf.flow import Actor, Channel, Flow, Rates
>>> flow = Flow((Actor("a", Rates((), (), (2,)), None), Actor("b", Rates((3,), (3,), ()), None)),
...             (Channel(0, 0, 1, 0),))
>>> repetitions(flow)
(3, 2)

What happens before the first period: first firings, and items that are only looked at.

An actor that looks at more items than it takes needs some to stay on its channel. `beginning`
finds the fewest firings that bring them there. A loop must have items in it before it can turn.

Flows with rates that are not always the same, cut into parts that have schedules.

A channel is cut where its writer or its reader has a range for a rate. What is left hangs together
in parts, each with its own period. The parts with sinks are run, and what they need of others is
fetched when they need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm

from anabranch.core.errors import ProgramError
from anabranch.lang.streamit.sdf.flow import Actor, Channel, Flow, Range, Rates


@dataclass(frozen=True)
class Schedule:
    """How often each actor fires before the first period, and in each."""

    flow: Flow
    before: tuple[int, ...]
    period: tuple[int, ...]

    def most(self, actor: int, periods: int | None) -> int | None:
        """How often an actor fires in so many periods and before; None when there is no end."""
        return None if periods is None else self.before[actor] + periods * self.period[actor]

    def buffer(self, index: int) -> int:
        """How many items a channel holds at most, when actors fire in the order of the flow."""
        channel = self.flow.channels[index]
        fired = self.before[channel.source] + self.period[channel.source]
        read = self.flow.actors[channel.target]
        firsts = read.first.pops[channel.into] if read.first else 0
        taken = self.before[channel.target] - bool(read.first)
        return (supplied(self.flow, channel, fired) - firsts
                - taken * read.rates.pops[channel.into])


def scheduled(flow: Flow) -> Schedule:
    """The schedule of a flow; a `ProgramError` when it has none."""
    period = repetitions(flow)
    return Schedule(flow, beginning(flow, period), period)


def repetitions(flow: Flow) -> tuple[int, ...]:
    """The smallest numbers of firings of a period; a `ProgramError` when there are none."""
    rates: dict[int, Fraction] = {}
    for start in range(len(flow.actors)):
        if start not in rates:
            found = _component(flow, start)
            scale = lcm(*(r.denominator for r in found.values()))
            shared = gcd(*(int(r * scale) for r in found.values()))
            rates |= {actor: r * scale / max(shared, 1) for actor, r in found.items()}
    return tuple(int(rates[actor]) for actor in range(len(flow.actors)))


def _component(flow: Flow, start: int) -> dict[int, Fraction]:
    """The relative rates of all actors that are joined with one."""
    found, waiting = {start: Fraction(1)}, [start]
    while waiting:
        actor = waiting.pop()
        for _, channel in (*flow.inputs(actor), *flow.outputs(actor)):
            other, rate = _other(flow, channel, actor, found[actor])
            if rate is None:
                continue
            if other not in found:
                found[other] = rate
                waiting.append(other)
            elif found[other] != rate:
                raise _unbalanced(flow, channel, found)
    return found


def _other(flow: Flow, channel: Channel, actor: int, rate: Fraction) -> tuple[int, Fraction | None]:
    """The rate of the actor at the other end of a channel; None when the channel says nothing."""
    pushed = flow.actors[channel.source].rates.pushes[channel.out]
    popped = flow.actors[channel.target].rates.pops[channel.into]
    other = channel.target if actor == channel.source else channel.source
    if pushed == popped == 0:
        return other, None
    if pushed == 0 or popped == 0:
        raise _unbalanced(flow, channel, {})
    return other, rate * (Fraction(pushed, popped) if actor == channel.source
                          else Fraction(popped, pushed))


def _unbalanced(flow: Flow, channel: Channel, found: dict[int, Fraction]) -> ProgramError:
    source, target = flow.actors[channel.source], flow.actors[channel.target]
    return ProgramError(
        f"the rates of '{source.name}' and '{target.name}' do not fit together", target.span,
        got=f"{_fires(source, channel.source, found)} pushes {source.rates.pushes[channel.out]}, "
            f"{_fires(target, channel.target, found)} pops {target.rates.pops[channel.into]}",
        help="no numbers of firings leave the channel between them as it was")


def _fires(actor: Actor, index: int, found: dict[int, Fraction]) -> str:
    often = f", firing {found[index]} times as often," if index in found else ""
    return f"'{actor.name}'{often}"


ROUNDS = 1_000
MOST_MISSING = 1 << 20


def beginning(flow: Flow, period: tuple[int, ...]) -> tuple[int, ...]:
    """How often each actor fires before the first period, a first firing with other rates
    included; a `ProgramError` when some loop has too few items in it."""
    counts = fewest(flow)
    if counts is not None and _can_go_on(flow, counts, period):
        return counts
    loops = [index for index, channel in enumerate(flow.channels) if channel.back]
    missing = ((loop, _missing(flow, period, loop)) for loop in loops)
    raise _starved(flow, *next((pair for pair in missing if pair[1]), (loops[-1], None)))


def fewest(flow: Flow) -> tuple[int, ...] | None:
    """The fewest firings that bring every actor what it looks at; None when there are none."""
    counts = [1 if actor.first else 0 for actor in flow.actors]
    for _ in range(ROUNDS):
        before = list(counts)
        for index in reversed(range(len(counts))):
            for _, channel in flow.outputs(index):
                counts[index] = max(counts[index], _supplying(flow, channel, counts))
        if counts == before:
            return tuple(counts)
    return None


def _can_go_on(flow: Flow, counts: tuple[int, ...], period: tuple[int, ...]) -> bool:
    if not any(channel.back for channel in flow.channels):
        return True
    return first_stuck(flow, tuple(b + p for b, p in zip(counts, period))) is None


def needed(flow: Flow, channel: Channel, fired: int) -> int:
    """How many items a channel must have had so that its reader has fired so often, and can go on
    as in every later period."""
    actor, port = flow.actors[channel.target], channel.into
    if actor.first is None:
        taken = fired * actor.rates.pops[port]
        return taken + max(0, actor.rates.peeks[port] - actor.rates.pops[port])
    if fired == 0:
        return 0
    first = actor.first.pops[port]
    later = first + (fired - 1) * actor.rates.pops[port]
    extra = max(0, actor.rates.peeks[port] - actor.rates.pops[port])
    return max(actor.first.peeks[port], later + extra)


def supplied(flow: Flow, channel: Channel, fired: int) -> int:
    """How many items a channel has had when its writer has fired so often."""
    actor, port = flow.actors[channel.source], channel.out
    if actor.first is None or fired == 0:
        return len(channel.initial) + fired * actor.rates.pushes[port]
    return (len(channel.initial) + actor.first.pushes[port]
            + (fired - 1) * actor.rates.pushes[port])


def _supplying(flow: Flow, channel: Channel, counts: list[int]) -> int:
    """How often the writer of a channel must fire for its reader."""
    wanted, fired = needed(flow, channel, counts[channel.target]), counts[channel.source]
    pushed = flow.actors[channel.source].rates.pushes[channel.out]
    missing = wanted - supplied(flow, channel, fired)
    if missing <= 0:
        return fired
    if pushed == 0:
        source, target = flow.actors[channel.source], flow.actors[channel.target]
        raise ProgramError(f"'{target.name}' can never fire", target.span,
                           got=f"'{source.name}' never pushes the {missing} items it waits for")
    return fired + -(-missing // pushed)


def _missing(flow: Flow, period: tuple[int, ...], loop: int) -> int | None:
    """The fewest more items on a channel with which the program can go on."""
    high = 1
    while not _suffices(flow, period, loop, high):
        high *= 2
        if high > MOST_MISSING:
            return None
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _suffices(flow, period, loop, middle) else (middle, high)
    return high


def _suffices(flow: Flow, period: tuple[int, ...], loop: int, more: int) -> bool:
    channel = flow.channels[loop]
    filled = replace(channel, initial=(*channel.initial, *(None,) * more))
    longer = replace(flow, channels=(*flow.channels[:loop], filled, *flow.channels[loop + 1:]))
    counts = fewest(longer)
    return counts is not None and _can_go_on(longer, counts, period)


def _starved(flow: Flow, loop: int, missing: int | None) -> ProgramError:
    channel = flow.channels[loop]
    how = f"{missing} more item{'' if missing == 1 else 's'}" if missing else "more items"
    return ProgramError("the feedback loop has too few items to begin with",
                        flow.actors[channel.target].span,
                        got=f"{len(channel.initial)} enqueued", help=f"enqueue {how}")


def first_stuck(flow: Flow, counts: tuple[int, ...]) -> int | None:
    """The first actor that cannot fire so often, or None."""
    left, held = list(counts), [len(channel.initial) for channel in flow.channels]
    fired = [0] * len(counts)
    moving = True
    while moving:
        moving = False
        for actor in range(len(left)):
            while left[actor] and (times := possible(flow, actor, held, fired[actor], left[actor])):
                _fire(flow, actor, held, fired[actor], times)
                left[actor] -= times
                fired[actor] += times
                moving = True
    return next((actor for actor, rest in enumerate(left) if rest), None)


def possible(flow: Flow, actor: int, held: list[int], fired: int, most: int) -> int:
    """How often in a row an actor can fire with what its channels hold; a first firing with other
    rates counts alone."""
    this = flow.actors[actor]
    first = this.first is not None and fired == 0
    rates, times = (this.first, min(most, 1)) if first else (this.rates, most)
    for index, channel in flow.inputs(actor):
        peek, pop = rates.peeks[channel.into], rates.pops[channel.into]
        spare = held[index] - max(peek, pop)
        if spare < 0:
            return 0
        times = min(times, spare // pop + 1) if pop else times
    return times


def _fire(flow: Flow, actor: int, held: list[int], fired: int, times: int) -> None:
    this = flow.actors[actor]
    rates = this.first if this.first is not None and fired == 0 else this.rates
    for index, channel in flow.inputs(actor):
        held[index] -= times * rates.pops[channel.into]
    for index, channel in flow.outputs(actor):
        held[index] += times * rates.pushes[channel.out]


@dataclass(frozen=True)
class Cut:
    """The schedules of all parts, side by side, and the actors of those parts that are run."""

    schedule: Schedule
    driven: tuple[int, ...]


def cut(flow: Flow) -> Cut:
    """The parts of a flow; a `ProgramError` when one of them has no schedule."""
    before, period = [0] * len(flow.actors), [0] * len(flow.actors)
    driven: list[int] = []
    for members in _parts(flow):
        found = scheduled(_inside(flow, members))
        for place, actor in enumerate(members):
            before[actor], period[actor] = found.before[place], found.period[place]
        if any(not flow.outputs(actor) for actor in members):
            driven += members
    return Cut(Schedule(flow, tuple(before), tuple(period)), tuple(sorted(driven)))


def is_dynamic(flow: Flow) -> bool:
    return any(is_cut(flow, channel) for channel in flow.channels)


def uncut(flow: Flow) -> Flow:
    """The flow without the channels where it is cut."""
    return Flow(flow.actors, tuple(c for c in flow.channels if not is_cut(flow, c)))


def is_cut(flow: Flow, channel: Channel) -> bool:
    """Whether a channel's rates at one of its ends are not always the same."""
    written = (r.pushes[channel.out] for r in _all_rates(flow.actors[channel.source]))
    read = (rate for r in _all_rates(flow.actors[channel.target])
            for rate in (r.peeks[channel.into], r.pops[channel.into]))
    return any(isinstance(rate, Range) for rate in (*written, *read))


def _all_rates(actor: Actor) -> Iterator[Rates]:
    yield actor.rates
    if actor.first is not None:
        yield actor.first


def _parts(flow: Flow) -> list[list[int]]:
    """The actors that hang together, each part in the order of the flow."""
    part = list(range(len(flow.actors)))
    for channel in flow.channels:
        if not is_cut(flow, channel):
            ends = part[channel.source], part[channel.target]
            part = [min(ends) if each in ends else each for each in part]
    return [[a for a, each in enumerate(part) if each == name] for name in sorted(set(part))]


def _inside(flow: Flow, members: list[int]) -> Flow:
    """A part as a flow of its own."""
    place = {actor: number for number, actor in enumerate(members)}
    channels = (replace(c, source=place[c.source], target=place[c.target])
                for c in flow.channels if c.source in place and not is_cut(flow, c))
    return Flow(tuple(flow.actors[actor] for actor in members), tuple(channels))
