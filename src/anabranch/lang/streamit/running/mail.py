"""Messages on their way: each comes before a firing of its receiver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anabranch.errors import RunError
from anabranch.lang.streamit.messaging import Route, Rules
from anabranch.lang.streamit.running.portals import Portal

if TYPE_CHECKING:
    from anabranch.lang.streamit.running.demanded import Demanded


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
