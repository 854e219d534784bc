"""User-defined operators: a function that yields, with or without typed state.

>>> class Balance(State):
...     total: float = 0.0
>>> class Entry(Record):
...     uid: int
...     amount: float
>>> @operator(by="uid")
... def running(state: Balance, t: Entry):
...     state.total += t.amount
...     yield t.replace(amount=state.total)
>>> running.by, running.state.__name__
(('uid',), 'Balance')
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar, Unpack, overload

from anabranch.api.arguments import Declared, annotations_of, as_tuple, no_coroutine
from anabranch.core.errors import ProgramError
from anabranch.core.source import Span, caller_span, user_frame
from anabranch.ir.foreign import record_of
from anabranch.ir.function import Function
from anabranch.ir.operators import Apply
from anabranch.ir.records import Record, State, record_class
from anabranch.ir.types import ANY, Type, field_types, fields_of

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
Memory = TypeVar("Memory", bound=State)
Made = TypeVar("Made")
AtEnd = TypeVar("AtEnd", bound=Callable[..., Iterable[Any]])

__all__ = ["OperatorDefinition", "Record", "State", "operator", "record"]


def record(cls: type[Made]) -> type[Made]:
    """The record class with the fields, types, defaults and methods of a dataclass, a named tuple,
    a typed dict, a model of pydantic, or any class with typed fields: as a decorator it takes the
    class's place. Validators and `__post_init__` are not part of it.
    """
    if not isinstance(cls, type) or not getattr(cls, "__annotations__", None):
        raise ProgramError(f"{getattr(cls, '__name__', cls)!r} has no typed fields", caller_span(),
                           expected="a class with annotations")
    made = record_of(cls)
    field_types(made)
    return made


class HasProcess(Protocol[In, Out]):
    """What makes a class an operator."""

    def process(self, item: In, /) -> Iterable[Out]: ...


class OperatorDefinition(Generic[In, Out]):
    """An operator that streams can `apply`; calling it runs one firing, which is handy in tests."""

    def __init__(self, call: Callable[..., Iterable[Out]], by: tuple[str, ...],
                 declared: Mapping[str, object], span: Span, state: type | None = None) -> None:
        self.call, self.by, self.declared, self.span = call, by, declared, span
        named = call if state is None else state
        self.__name__, self.__doc__ = named.__name__, named.__doc__
        self.at_end_call: Callable | None = None
        self.hints = hints(call)
        self.state = state or self._state_class()
        self.annotations = annotations_of(declared, span)
        self._check()

    @overload
    def __call__(self, item: In, /) -> Iterator[Out]: ...
    @overload
    def __call__(self, state: State, item: In, /) -> Iterator[Out]: ...
    def __call__(self, *arguments: Any) -> Iterable[Out]:
        return self.call(*arguments)

    def at_end(self, call: AtEnd) -> AtEnd:
        """Registers what to emit when the input has ended: `call(state)`, or `call(state, key)`,
        once for each key. The key is a record of the attributes `by`."""
        if self.state is None:
            raise ProgramError(f"{self.__name__} has no state to emit from", caller_span())
        if self._takes_key(call) and not self.by:
            raise ProgramError(f"{self.__name__} has no key to give to {call.__name__}",
                               caller_span(),
                               help='give by="...", or leave the second parameter out')
        self.at_end_call = call
        return call

    def check_tag_of(self, item: Type) -> None:
        """Refuses items whose tag is none; only a synchronized operator has one."""

    def kind(self, item: Type = ANY) -> Apply:
        """The operator over items of this type."""
        if self.at_end_call is None:
            return Apply(Function.of(self.call), self.state, self.by)
        known, key = fields_of(item) or {}, None
        if self._takes_key(self.at_end_call):
            key = record_class("Key", {name: known.get(name, ANY) for name in self.by})
        at_end = Function.of(self.at_end_call)
        return Apply(Function.of(self.call), self.state, self.by, at_end, key)

    @staticmethod
    def _takes_key(at_end: Callable) -> bool:
        return len(inspect.signature(at_end).parameters) == 2

    @property
    def input_hint(self) -> object | None:
        """The annotation of the item parameter, if there is one."""
        names = list(inspect.signature(self.call).parameters)
        return self.hints.get(names[-1])

    def _state_class(self) -> type | None:
        names = list(inspect.signature(self.call).parameters)
        if len(names) == 1:
            return None
        state = self.hints.get(names[0]) if len(names) == 2 else None
        if not (isinstance(state, type) and issubclass(state, State)):
            raise ProgramError(
                f"the operator {self.__name__} has parameters ({', '.join(names)})", self.span,
                expected="(item), or (state: MyState, item) where MyState is an ab.State")
        return state

    def _check(self) -> None:
        if inspect.iscoroutinefunction(self.call) or inspect.isasyncgenfunction(self.call):
            raise no_coroutine(f"the operator {self.__name__}", self.call, self.span)
        if not inspect.isgeneratorfunction(self.call):
            raise ProgramError(f"the operator {self.__name__} does not yield", self.span,
                               help="yield each output; for a plain function use map or filter")
        if self.by and self.state is None:
            raise ProgramError(f"by={self.by} needs state", self.span,
                               help=f"write def {self.__name__}(state: MyState, t): ...")


def hints(call: Callable) -> dict[str, object]:
    """The annotations; classes local to the function that defines the operator count too."""
    frame = user_frame()
    scope = {**frame.f_globals, **frame.f_locals} if frame else {}
    try:
        return typing.get_type_hints(call, localns=scope)
    except NameError as error:
        raise ProgramError(f"an annotation of {call.__name__} names something unknown: {error}",
                           Function.of(call).span) from None


class MakesOperator(Protocol):
    """`@ab.operator(...)`, before it has its function."""

    @overload
    def __call__(self, call: type[HasProcess[In, Out]], /) -> OperatorDefinition[In, Out]: ...
    @overload
    def __call__(self, call: Callable[[In], Iterable[Out]], /) -> OperatorDefinition[In, Out]: ...
    @overload
    def __call__(self, call: Callable[[Memory, In], Iterable[Out]], /
                 ) -> OperatorDefinition[In, Out]: ...


@overload
def operator(call: type[HasProcess[In, Out]], /) -> OperatorDefinition[In, Out]: ...
@overload
def operator(call: Callable[[In], Iterable[Out]], /) -> OperatorDefinition[In, Out]: ...
@overload
def operator(call: Callable[[Memory, In], Iterable[Out]], /) -> OperatorDefinition[In, Out]: ...
@overload
def operator(*, by: str | tuple[str, ...] | None = None, **declared: Unpack[Declared]
             ) -> MakesOperator: ...
def operator(call: Callable[..., Any] | None = None, *, by: str | tuple[str, ...] | None = None,
             **declared: Unpack[Declared]) -> OperatorDefinition[Any, Any] | MakesOperator:
    """Makes an operator of a generator function: `@ab.operator` or `@ab.operator(by="uid")`.

    A class is one too that is an `ab.State` with a method `process(self, item)` that yields, and
    maybe one `at_end(self)` or `at_end(self, key)`.

    With a first parameter annotated with an `ab.State` the operator has state, one for each value
    of the `by` attributes. Properties may be declared when they cannot be found by analysis:
    `state="stateless"`, `selectivity=(0, 1)`, `forwards=("uid",)`, `pure=True`,
    `commutative=True`, or `commutative="sorted"` of an operator whose outputs at the end have an
    order of their own; `anabranch check` tests them on sample data.
    """
    span = caller_span()

    def make(call: Callable[..., Any]) -> OperatorDefinition[Any, Any]:
        if isinstance(call, type):
            return _of_class(call, as_tuple(by), declared, span)
        return OperatorDefinition(call, as_tuple(by), declared, span)
    return make if call is None else make(call)


def _of_class(cls: type, by: tuple[str, ...], declared: Mapping[str, object], span: Span
              ) -> OperatorDefinition[Any, Any]:
    """The operator of a state class with a method `process(self, item)`, and maybe `at_end`."""
    if not issubclass(cls, State) or not inspect.isfunction(getattr(cls, "process", None)):
        raise ProgramError(f"{cls.__name__} is no operator", span,
                           expected="a function that yields, or an ab.State with a method process",
                           help="write def process(self, item): ... in it, which yields outputs")
    made = OperatorDefinition(cls.process, by, declared, span, state=cls)
    if (at_end := getattr(cls, "at_end", None)) is not None:
        made.at_end(at_end)
    return made
