"""What `synchronized`, `worker` and `shard` are given, checked at the user's line."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.api.declared import function
from anabranch.errors import ProgramError, did_you_mean
from anabranch.ir.function import Function
from anabranch.ir.records import State
from anabranch.ir.synchronized import Fork, Join, StateType, Synchronized
from anabranch.source import Span
from anabranch.sync.optimizers import OPTIMIZERS, with_others
from anabranch.sync.plan import Shard, Tree
from anabranch.sync.program import Program
from anabranch.sync.validity import validated, validated_types

Rates = tuple[tuple[object, float | None], ...]


def written(call: object, span: Span, what: str, takes: int = 1) -> Function:
    """A user's function, with the lines where it is written rather than those where it is named."""
    made, syntax = function(call, span, what, takes), syntax_of(call)
    return made if isinstance(syntax, Missing) else replace(made, span=syntax.span)


def rates_of(tags: Iterable | Mapping[object, float], span: Span) -> Rates:
    """The tags with their rates, None where they are not told."""
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise ProgramError("tags names several tags", span, got=repr(tags),
                           expected="a list of tags, or a dict of their rates")
    rates = tuple(tags.items()) if isinstance(tags, Mapping) else tuple((t, None) for t in tags)
    for tag, rate in rates:
        if rate is not None and not _is_rate(rate):
            raise ProgramError(f"the rate of {tag!r} is not a number above 0", span, got=repr(rate))
    checked_tags([tag for tag, _ in rates], span)
    return rates


def _is_rate(rate: object) -> bool:
    return isinstance(rate, (int, float)) and math.isfinite(rate) and rate > 0


def checked_tags(tags: Iterable[object], span: Span) -> None:
    for tag in tags:
        try:
            hash(tag)
        except TypeError:
            raise ProgramError("a tag must be a value that can be the key of a dictionary", span,
                               got=repr(tag)) from None


def states_of(first: type, others: Mapping[type, Callable | None] | None, span: Span
              ) -> tuple[StateType, ...]:
    """All types of state, with what each can take."""
    if not isinstance(others or {}, Mapping):
        raise ProgramError("states says which tags each type of state can take", span,
                           expected="a dict from types to functions of a tag", got=repr(others))
    for state in others or {}:
        if not (isinstance(state, type) and issubclass(state, State)):
            raise ProgramError("a type of state is a class derived from State", span,
                               got=repr(state))
    handled = (StateType(state, handles and function(handles, span, "states"))
               for state, handles in (others or {}).items() if state is not first)
    return (StateType(first), *handled)


def checked_parts(parts: tuple, span: Span) -> tuple:
    if len(parts) != 2 or not all(isinstance(part, type) for part in parts):
        raise ProgramError("a fork gives two states", span, expected="tuple[A, B] as its result",
                           got=", ".join(getattr(p, "__name__", repr(p)) for p in parts))
    return parts


def checked_below(below: object, span: Span) -> tuple[Tree, ...]:
    """The workers below another: none or two."""
    many = tuple(below) if isinstance(below, Sequence) else (below,)
    if len(many) not in (0, 2) or not all(isinstance(one, Tree) for one in many):
        told = str(len(many)) if all(isinstance(one, Tree) for one in many) else repr(below)
        raise ProgramError("a worker has none or two workers below it", span, got=told)
    return many


def checked_number(number: object, span: Span) -> int:
    if not isinstance(number, int) or number < 0:
        raise ProgramError("shards are numbered from 0 on", span, got=repr(number))
    return number


def shards_of(tags: Iterable[Hashable], span: Span) -> frozenset[Shard]:
    shards = [tag if isinstance(tag, Shard) else Shard(tag) for tag in tags]
    checked_tags([shard.tag for shard in shards], span)
    return frozenset(shards)


def refuse_misfits(kind: Synchronized, name: str, span: Span) -> None:
    """Refuses forks, joins and plans that do not fit the operator or each other."""
    _refuse_rivals(kind)
    validated_types(Program(kind))
    if kind.optimizer not in OPTIMIZERS:
        raise ProgramError(f"no optimizer is called '{kind.optimizer}'", span,
                           help=did_you_mean(str(kind.optimizer), OPTIMIZERS))
    if kind.tree is not None:
        _refuse_wrong_plan(kind, name, span)


def _refuse_rivals(kind: Synchronized) -> None:
    """Of two forks for the same states, nobody could say which is meant."""
    known: set = set()
    for one in chain(kind.forks, kind.joins):
        takes = (type(one), one.whole if isinstance(one, Fork) else one.parts)
        if takes in known:
            raise ProgramError(f"two {_plural(one)} take the same states", one.function.span,
                               help="the types of their arguments tell them apart")
        known.add(takes)


def _plural(one: Fork | Join) -> str:
    return f"{type(one).__name__.lower()}s"


def _refuse_wrong_plan(kind: Synchronized, name: str, span: Span) -> None:
    if not isinstance(kind.tree, Tree):
        raise ProgramError("a plan is a worker, with others below it", span, got=repr(kind.tree),
                           help="make it with ab.worker")
    if kind.by:
        raise ProgramError(f"{name} has a state for each key, and a plan for one", span,
                           help="leave out plan=: keys that come often are split by themselves")
    tree = with_others(kind.tree)
    taken = {shard.tag for shard in tree.below}
    wanted = tree.below | {Shard(tag) for tag, _ in kind.tags if tag not in taken}
    validated(Program(kind), tree, wanted)
