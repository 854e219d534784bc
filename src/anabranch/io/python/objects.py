"""Python objects as sources and sinks: iterables, generators, lists, callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, cycle, repeat
from operator import length_hint
from typing import ClassVar

from anabranch.core.errors import AnabranchError, RunError, user_traceback
from anabranch.core.source import Span
from anabranch.io.python.snapshots import (
    Taker,
    are_exact,
    are_in_order,
    holds_items,
    snapshot,
    taker,
    unchecked,
)
from anabranch.io.rows import BadRows, Row, TimeOrder, check_time, decoded
from anabranch.io.values.scalars import shown
from anabranch.ir.ends import ItemWriter, SinkSpec, SourceSpec
from anabranch.ir.types import ANY, Type

MOST_AT_ONCE = 4096
"""So many items of a list are checked together."""


@dataclass(frozen=True, eq=False)
class IterableSource(SourceSpec):
    """The items of a Python iterable, taken as `anabranch.io.python.snapshots` says: those of a
    collection as they are when a run begins, others one by one, each at the moment in which it is
    handed out.

    >>> from anabranch.ir.types import INT
    >>> list(IterableSource([1, 2], INT).items(BadRows()))
    [1, 2]
    """

    format: ClassVar[None] = None
    has_lists: ClassVar[bool] = True
    iterable: Iterable[object]
    type: Type = ANY
    time: str | None = None
    span: Span | None = None
    kept: str | None = field(default=None, repr=False)
    """Of a snapshot, the name of the type of the collection."""
    _read: list[bool] = field(default_factory=list, repr=False)

    def __post_init__(self):
        check_time(self.type, self.time, self.span)

    @property
    def shown(self) -> str:
        return f"python {self.kept or type(self.iterable).__name__}"

    @property
    def taken_from(self) -> Iterable[object]:
        return self.iterable

    def at_start(self) -> IterableSource:
        """The source as a run begins: of a collection a snapshot."""
        if self.kept is not None or not holds_items(self.iterable):
            return self
        return replace(self, iterable=snapshot(self.iterable, self.type),
                       kept=type(self.iterable).__name__)

    @property
    def replayable(self) -> bool:
        """An iterator gives itself when asked for an iterator, and so can be read only once."""
        return iter(self.iterable) is not self.iterable

    @property
    def live(self) -> bool:
        """Whether its items may come while the program runs: what knows its length has them."""
        return not hasattr(self.iterable, "__len__")

    @property
    def endless(self) -> bool:
        """Whether it is known never to end, as `itertools.count()` is."""
        given = self.iterable
        return isinstance(given, (count, cycle)) or (isinstance(given, repeat) and not _ends(given))

    def rows_about(self) -> int | None:
        """How many items there are, if the iterable knows it."""
        return len(self.iterable) if hasattr(self.iterable, "__len__") else None

    def lists(self) -> Iterator[list]:
        """The items of a collection, many at once, up to the first that is to be looked at by
        itself; nothing of what makes its items as it goes."""
        source = self.at_start()
        given, last = source.iterable if source.kept is not None else (), None
        for start in count(0, MOST_AT_ONCE):
            part = given[start:start + MOST_AT_ONCE]
            in_order = self.time is None or are_in_order(part, self.time, last)
            if not (part and in_order and are_exact(part, self.type)):
                return
            yield list(part)
            last = self.time and getattr(part[-1], self.time)

    def items(self, rows: BadRows) -> Iterator[object]:
        if self._read and not self.replayable:
            raise RunError("an iterator was read a second time", self.span,
                           help="give a list, or a function with generate(function, count)")
        self._read.append(True)
        source = self.at_start()
        take = taker(self.type, unchecked if source.kept is not None else None)
        return _taken(self, iter(source.iterable), take, rows)


@dataclass(frozen=True, eq=False)
class GeneratorSource(SourceSpec):
    """`function(0)`, `function(1)`, ... `function(count - 1)`: each item follows from its index."""

    format: ClassVar[None] = None
    replayable: ClassVar[bool] = True
    function: Callable[[int], object]
    count: int
    type: Type = ANY
    time: str | None = None
    span: Span | None = None

    def __post_init__(self):
        check_time(self.type, self.time, self.span)

    @property
    def shown(self) -> str:
        return f"generate {_name(self.function)} {self.count}"

    @property
    def made_by(self) -> Callable[[int], object]:
        return self.function

    def rows_about(self) -> int:
        return self.count

    def items(self, rows: BadRows) -> Iterator[object]:
        return _taken(self, map(self.function, range(self.count)), taker(self.type), rows)


def _ends(repeated: repeat) -> bool:
    """
    >>> _ends(repeat(1, 3)), _ends(repeat(1))
    (True, False)
    """
    return length_hint(repeated, -1) >= 0


def _taken(spec: IterableSource | GeneratorSource, items: Iterator, take: Taker, rows: BadRows
           ) -> Iterator:
    return decoded(_rows(spec, items), take, TimeOrder(spec.time), rows)


def _rows(spec: IterableSource | GeneratorSource, items: Iterator) -> Iterator[Row]:
    number = 0
    try:
        for number, item in enumerate(items, 1):
            yield Row(spec.shown, number, None, item, "item")
    except AnabranchError:
        raise
    except Exception as error:
        raise _raised(f"item {number + 1} of {spec.shown}", error, spec.span) from error


def _raised(what: str, error: Exception, where: Span | None, got: str | None = None) -> RunError:
    return RunError(f"{what} raised {type(error).__name__}: {error}", where, got=got,
                    below="\n" + user_traceback(error))


def _name(function: Callable) -> str:
    return getattr(function, "__name__", type(function).__name__)


@dataclass(frozen=True, eq=False)
class ListSink(SinkSpec):
    """Puts all items at the end of a list, when the run has succeeded."""

    format: ClassVar[None] = None
    shown: ClassVar[str] = "python list"
    target: list[object]
    span: Span | None = None

    def open(self, item_type: Type) -> ListWriter:
        return ListWriter(self.target)


class ListWriter(ItemWriter):
    takes_lists = appears_whole = True

    def __init__(self, target: list[object]):
        self._target, self._items = target, []
        self.write, self.write_all = self._items.append, self._items.extend

    def commit(self) -> None:
        self._target.extend(self._items)
        self._items.clear()

    def abort(self) -> None:
        self._items.clear()


@dataclass(frozen=True, eq=False)
class CallbackSink(SinkSpec):
    """Calls a function with each item as it comes."""

    format: ClassVar[None] = None
    callback: Callable[[object], object]
    span: Span | None = None

    @property
    def shown(self) -> str:
        return f"python {_name(self.callback)}"

    @property
    def called(self) -> Callable[[object], object]:
        return self.callback

    def open(self, item_type: Type) -> CallbackWriter:
        return CallbackWriter(self)


class CallbackWriter(ItemWriter):
    """The calls cannot be taken back, so there is nothing to commit or to abort."""

    def __init__(self, spec: CallbackSink):
        self._spec = spec

    def write(self, item: object) -> None:
        try:
            self._spec.callback(item)
        except AnabranchError:
            raise
        except Exception as error:
            name = _name(self._spec.callback)
            raise _raised(f"the callback {name}", error, self._spec.span, shown(item)) from error
