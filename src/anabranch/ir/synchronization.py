"""An operator whose state can be forked: independent tuples may part.

It is the user's own operator, `update(state, item)`, and four functions more: the tag of an item,
which tags depend on each other, how a state is forked in two, and how two are joined again. What
an engine makes of them stands in the package `plan.sync`; the sequential engine needs none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.ir.function import Function
from anabranch.ir.operators import Apply


@dataclass(frozen=True)
class Fork:
    """From a state of type `whole`, and the tags of each side, to the states of both sides."""

    function: Function
    whole: type
    parts: tuple[type, type]


@dataclass(frozen=True)
class Join:
    """From the states of two sides to the state of both."""

    function: Function
    parts: tuple[type, type]
    whole: type


@dataclass(frozen=True)
class StateType:
    """A type of state; `handles` tells the tags it can take, all of them when it is None."""

    type: type
    handles: Function | None = None


@dataclass(frozen=True)
class Synchronized(Apply):
    """`tags` are those that the user names, each with its rate if it is known; `tree` is the
    user's own plan; `optimizer` names the one that makes the plan otherwise."""

    label = "synchronized"
    tag: Function | None = None
    depends: Function | None = None
    forks: tuple[Fork, ...] = ()
    joins: tuple[Join, ...] = ()
    states: tuple[StateType, ...] = ()
    tags: tuple[tuple[object, float | None], ...] = ()
    tree: object = None
    optimizer: str = "cost"

    @property
    def splits_keys(self) -> bool:
        """Whether a plan may have several workers for one key. What keys emit at the end comes in
        the order in which they came first, and that is known where each is in one place."""
        return bool(self.by) and self.at_end is None

    @property
    def functions(self):
        parts = (self.tag, self.depends, *(f.function for f in self.forks),
                 *(j.function for j in self.joins))
        return (*super().functions, *parts)
