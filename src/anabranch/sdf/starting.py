"""What happens before the first period: first firings, and items that are only looked at.

An actor that looks at more items than it takes needs some to stay on its channel. `beginning`
finds the fewest firings that bring them there. A loop must have items in it before it can turn.
"""

from __future__ import annotations

from dataclasses import replace

from anabranch.errors import ProgramError
from anabranch.sdf.flow import Channel, Flow

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
