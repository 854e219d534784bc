"""The physical plan: how an engine runs a program by stages; `explain` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from anabranch.plan.logical.plan import Reason


@dataclass(frozen=True)
class StageTier:
    """In which tier an engine runs some operators together, and why not in a faster one; `arrival`
    says how rows come there and what keeps their order, where an engine has several ways; `work`
    who serves it, and what keeps the order of what leaves it, by how many `tasks` at most on an
    engine that has tasks."""

    operators: tuple[str, ...]
    tier: str
    reason: Reason | None = None
    arrival: str = ""
    work: str = ""
    tasks: int | None = None


@dataclass(frozen=True)
class Execution:
    """How an engine runs a plan: in which tier all of it, or else each stage; in which form its
    sources are read and its sinks written, by their names; how many threads at most decode or
    encode what is in columns, where several do; the `unordered` sinks, written as work finishes;
    and what is so of the `whole`."""

    engine: str
    tier: str
    stages: tuple[StageTier, ...] = ()
    reads: Mapping[str, str] = field(default_factory=dict)
    writes: Mapping[str, str] = field(default_factory=dict)
    threads: Mapping[str, int] = field(default_factory=dict)
    unordered: frozenset[str] = frozenset()
    whole: str = ""


def overall(tiers: Iterable[str]) -> str:
    """The tier of several stages together.

    >>> overall(["native", "native"]), overall(["native", "rows"]), overall([])
    ('native', 'mixed', 'rows')
    """
    found = set(tiers)
    return "mixed" if len(found) > 1 else found.pop() if found else "rows"
