"""Portals: what messages are sent to, and the filters that get them."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.errors import RunError


@dataclass(eq=False)
class Portal:
    """The filters that were added to a portal, in this order."""

    receivers: list = field(default_factory=list)

    def send(self, handler: str, arguments: tuple, low: int | None, high: int | None) -> None:
        """Messages are sent by work functions, which have a portal that knows the sender."""
        raise RunError("a message is sent before the program runs")
