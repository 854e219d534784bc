"""How often each actor fires in one period, so that every channel holds as much after as before.

>>> from anabranch.sdf.flow import Actor, Channel, Flow, Rates
>>> flow = Flow((Actor("a", Rates((), (), (2,)), None), Actor("b", Rates((3,), (3,), ()), None)),
...             (Channel(0, 0, 1, 0),))
>>> repetitions(flow)
(3, 2)
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from anabranch.errors import ProgramError
from anabranch.sdf.flow import Actor, Channel, Flow


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
