"""The messages of a program: who sends to whom, and rules for the schedule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.lang.streamit.instances import Work
from anabranch.lang.streamit.sdf.demand import Counting, Downstream, Stuck, Upstream, rule
from anabranch.lang.streamit.sdf.flow import Flow
from anabranch.lang.streamit.sdf.schedule import Cut, uncut

PERIODS = 3
"""So many periods are counted through to see whether the latencies can be met."""


@dataclass(frozen=True)
class Route:
    """Messages from one filter to another with a range of latencies; None when any will do."""

    sender: int
    receiver: int
    low: int | None
    high: int | None


Rules = dict[Route, Downstream | Upstream]


def routes(flow: Flow) -> tuple[Route, ...]:
    """All messages that may be sent, each route once."""
    return tuple(dict.fromkeys(_routes(flow)))


def _routes(flow: Flow) -> Iterator[Route]:
    numbers = {id(actor.body): index for index, actor in enumerate(flow.actors)}
    for index, actor in enumerate(flow.actors):
        if not isinstance(actor.body, Work):
            continue
        fields = actor.body.fresh()
        for portal, handler, *latency in actor.body.functions["latencies"](
                *actor.body.environment, *fields):
            for receiver in portal.receivers:
                _check_handler(receiver, handler)
                yield Route(index, numbers[id(receiver)], *latency)


def _check_handler(receiver: Work, handler: str) -> None:
    if handler not in receiver.code.handlers:
        raise ProgramError(f"'{receiver.code.name}' has no handler '{handler}'",
                           receiver.code.span, help="it is added to a portal that is sent this")


def feasible(cut: Cut, found: tuple[Route, ...]) -> bool:
    """Whether messages come at the lowest latencies: those that are ranges come at the highest
    where that is not possible. A `ProgramError` when there is no schedule at all."""
    for lowest in (True, False):
        stuck = _stuck(cut, rules_of(cut.schedule.flow, found, lowest))
        if stuck is None:
            return lowest
    raise _cannot_be_met(cut.schedule.flow, found, stuck)


def rules_of(flow: Flow, found: tuple[Route, ...], lowest: bool) -> Rules:
    """The rule of every route that has a latency."""
    rules: Rules = {}
    for route in found:
        if route.low is not None:
            made = rule(flow, route.sender, route.receiver, route.low if lowest else route.high)
            if made is None:
                raise _no_path(flow, route)
            rules[route] = made
    return rules


def by_receiver(rules: Rules) -> dict[int, list[Downstream | Upstream]]:
    found: dict[int, list[Downstream | Upstream]] = {}
    for route, made in rules.items():
        found.setdefault(route.receiver, []).append(made)
    return found


def _stuck(cut: Cut, rules: Rules) -> int | None:
    """An actor that waits for itself, when firings are only counted."""
    schedule = cut.schedule
    counting = Counting(uncut(schedule.flow), by_receiver(rules))
    try:
        for periods in range(PERIODS):
            for actor in cut.driven:
                counting.advance(actor, schedule.most(actor, periods))
    except Stuck as stuck:
        return stuck.actor
    return None


def _no_path(flow: Flow, route: Route) -> ProgramError:
    sender, receiver = flow.actors[route.sender], flow.actors[route.receiver]
    return ProgramError(
        f"a message from '{sender.name}' to '{receiver.name}' has no latency", sender.span,
        got="no items go from one to the other at rates that are known",
        help="send it as soon as possible: [*]")


def _cannot_be_met(flow: Flow, found: tuple[Route, ...], actor: int) -> ProgramError:
    concerned = [route for route in found if route.low is not None]
    route = next((r for r in concerned if actor in (r.sender, r.receiver)), concerned[0])
    sender, receiver = flow.actors[route.sender], flow.actors[route.receiver]
    return ProgramError(
        "no schedule meets the latencies of the messages", sender.span,
        got=f"'{sender.name}' sends to '{receiver.name}' with latency "
            f"[{route.low}:{route.high}]",
        help="the receiver has to go on before the sender can send: allow a higher latency")
