"""A synchronized operator's functions, ready to call, with checks of what they give.

What is wrong with one of them is said at the line where it stands, with what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from anabranch.errors import ProgramError, RunError, user_traceback
from anabranch.ir.function import Function
from anabranch.ir.synchronized import Fork, Join, Synchronized
from anabranch.once import once
from anabranch.source import Span

Tag = object
Predicate = Callable[[Tag], bool]
OTHER = "any other tag"
"""Stands for all tags that a plan does not know; everything depends on them."""


class Program:
    """What the workers of a plan call. `depends` is asked once for each pair of tags.

    `split` says how the keys of a keyed operator are split; others have none.
    """

    split: tuple | None = None

    def __init__(self, kind: Synchronized):
        self.kind = kind
        self.tag: Callable[[object], Tag] = kind.tag.call
        self.update: Callable[[object, object], Iterable[object]] = kind.function.call
        self._depends: dict[tuple[Tag, Tag], bool] = {}

    def start(self) -> object:
        return self.kind.new_state()

    def depends(self, a: Tag, b: Tag) -> bool:
        """Whether events of these tags must keep their order; asymmetric functions are refused."""
        known = True if a == OTHER or b == OTHER else self._depends.get((a, b))
        if known is None:
            known = self._asked(a, b)
            if known != self._asked(b, a):
                raise _asymmetric(a, b, known, self.kind.depends.span)
            self._depends[a, b] = self._depends[b, a] = known
        return known

    def _asked(self, a: Tag, b: Tag) -> bool:
        return bool(_called(self.kind.depends, (a, b), "depends"))

    def pieces(self, workers: int) -> int:
        """Into how many shards a tag is divided whose events do not depend on each other."""
        return workers

    def fork(self, state: object, left: Predicate, right: Predicate) -> tuple[object, object]:
        fork = self.fork_of(type(state))
        parts = _called(fork.function, (state, left, right))
        if not isinstance(parts, tuple) or len(parts) != 2:
            raise RunError(f"{fork.function.name} does not give two states", fork.function.span,
                           expected="a tuple of two states", got=repr(parts))
        for part in parts:
            self._is_a_state(part, fork.function)
        return parts

    def lent(self, state: object, takes: Predicate) -> tuple[object, object]:
        """What those above need of the state of a worker who takes some tags, and what stays."""
        return state, None

    def returned(self, state: object, kept: object) -> object:
        """The state that came from above, with what had stayed."""
        return state

    def join(self, left: object, right: object) -> object:
        function = self.join_of(type(left), type(right)).function
        whole = _called(function, (left, right))
        self._is_a_state(whole, function)
        return whole

    def _is_a_state(self, given: object, by: Function) -> None:
        if not self.has(type(given)):
            raise RunError(f"{by.name} gives something that is not a state", by.span,
                           expected=" or ".join(f"a {state.__name__}" for state in self._states),
                           got=repr(given))

    def has(self, state: type) -> bool:
        """Whether it is one of the program's types of states."""
        return state in self._states

    def can_fork(self, whole: type) -> bool:
        return whole in self._forks

    def fork_of(self, whole: type) -> Fork:
        if whole in self._forks:
            return self._forks[whole]
        raise ProgramError(f"no fork takes a {whole.__name__}", self.kind.function.span,
                           help="a worker with others below it forks its state for them")

    def join_of(self, left: type, right: type) -> Join:
        if (left, right) in self._joins:
            return self._joins[left, right]
        raise ProgramError(f"no join takes a {left.__name__} and a {right.__name__}",
                           self.kind.function.span)

    def handles(self, state: type, tag: Tag) -> bool:
        """Whether a state of this type can take events of the tag."""
        known = self._states.get(state)
        if tag == OTHER:
            return state is self.kind.state
        return known is not None and (known.handles is None or bool(known.handles.call(tag)))

    @once
    def _forks(self) -> dict[type, Fork]:
        return {fork.whole: fork for fork in self.kind.forks}

    @once
    def _joins(self) -> dict[tuple[type, type], Join]:
        return {join.parts: join for join in self.kind.joins}

    @once
    def _states(self) -> dict:
        return {state.type: state for state in self.kind.states}


def _called(function: Function, given: tuple, name: str | None = None) -> object:
    """What a function of the user gives; its failure is said at the line where it stands."""
    try:
        return function.call(*given)
    except (Exception, SystemExit) as error:
        told = " and ".join(repr(one) for one in given if not callable(one))
        raise RunError(f"{name or function.name} raised {type(error).__name__}: {error}",
                       function.span, got=told, below="\n" + user_traceback(error)) from error


def _asymmetric(a: Tag, b: Tag, forward: bool, span: Span | None) -> ProgramError:
    return ProgramError("depends must be symmetric", span, expected=f"depends({b!r}, {a!r}) to be "
                        f"{forward}, as depends({a!r}, {b!r}) is", got=str(not forward))
