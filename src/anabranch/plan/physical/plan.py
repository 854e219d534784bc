"""The physical plan: how an engine runs a program, stage by stage; `explain` prints it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anabranch.plan.logical.plan import Reason


@dataclass(frozen=True)
class StageTier:
    """In which tier an engine runs some operators together, and why not in a faster one; `arrival`
    says how rows come there and what keeps their order, where an engine has several ways."""

    operators: tuple[str, ...]
    tier: str
    reason: Reason | None = None
    arrival: str = ""


@dataclass(frozen=True)
class Execution:
    """How an engine runs a plan: in which tier all of it, or else each stage."""

    engine: str
    tier: str
    stages: tuple[StageTier, ...] = ()


def overall(tiers: Iterable[str]) -> str:
    """The tier of several stages together.

    >>> overall(["native", "native"]), overall(["native", "rows"]), overall([])
    ('native', 'mixed', 'rows')
    """
    found = set(tiers)
    return "mixed" if len(found) > 1 else found.pop() if found else "rows"
