"""Windows and windowed joins: operators on items that are close to each other.

Window number `k` by count holds the items number `k*step` to `k*step+size-1` of its key; by time,
the items with `k*step <= time < k*step+size`. It is emitted when its last item comes, or, by time,
before the first item of its key that lies beyond it. At the end of the input the open windows are
emitted in order, or dropped when `partial` is False.

Times that are instants are ordered as such, whatever their zones, and windows of them begin and end
at instants in UTC. A key has instants or wall-clock times, not both.

A window of a key ends by a row of the same key alone, which needs nothing of other keys. Where the
rows of a source are known to be in the order of their times, any row tells that nothing earlier
comes: the windows of silent keys end with it, in the order of their ends, then of their first rows.

In a windowed join each item meets what the other side has kept for its key.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter

from anabranch.core.errors import RunError
from anabranch.core.once import once
from anabranch.ir.aggregates import Call, WindowEnd, WindowStart
from anabranch.ir.function import Function
from anabranch.ir.operators import Keyed, key_function
from anabranch.ir.times import elapsed_of, is_aware, moment, origin_of


@dataclass(frozen=True)
class Window:
    """Items numbered or timed: `size` of them, a new window every `step`."""

    size: object
    step: object
    on: str | None = None
    partial: bool = True
    late: str = "error"

    @property
    def by_time(self) -> bool:
        return self.on is not None

    @property
    def tumbling(self) -> bool:
        return self.size == self.step

    @property
    def whole(self) -> bool:
        """Whether the one window of a key holds the whole input."""
        return self.size == ENDLESS

    def __str__(self) -> str:
        if self.whole:
            return "the whole input"
        kind = "tumbling" if self.tumbling else "sliding"
        size = f"time={self.size}" if self.by_time else f"count={self.size}"
        step = "" if self.tumbling else f", step={self.step}"
        return f"{kind}({size}{step}{f', on={self.on}' if self.by_time else ''})"

    def numbers(self, elapsed: object) -> range:
        """The numbers of the windows that hold an item of this time.

        >>> list(Window(60, 20, on="ts").numbers(65))
        [1, 2, 3]
        """
        last = int(elapsed // self.step)
        first = last
        while self.ends_after(first - 1, elapsed):
            first -= 1
        return range(first, last + 1) if self.ends_after(last, elapsed) else range(0)

    def ends_after(self, number: int, elapsed: object) -> bool:
        return number * self.step + self.size > elapsed

    def bounds(self, number: int, aware: bool | None = None) -> tuple:
        """The start and the end of window `number`, in the unit of the item's own time."""
        start, origin = number * self.step, self.origin(aware)
        return origin + start, origin + (start + self.size)

    def origin(self, aware: bool | None) -> datetime | int:
        """The time from which windows are counted."""
        return origin_of(aware) if isinstance(self.size, timedelta) else 0


ENDLESS = 1 << 62
"""More items than any input has."""

WHOLE = Window(ENDLESS, ENDLESS)
"""The window by count that no input fills: its results come at the end of the input."""


class Open:
    """A window that still takes items: its number, how many it has, and its folds."""

    __slots__ = ("folds", "held", "number")

    def __init__(self, number: int, folds: list):
        self.number, self.held, self.folds = number, 0, folds


class KeyState:
    """One key's own values, how far it has come (items seen, or latest time), its open windows,
    and whether its times are instants."""

    # Saved in this order: a new one comes last.
    __slots__ = ("key", "open", "reached", "aware")  # noqa: RUF023

    def __init__(self):
        self.key, self.reached, self.open, self.aware = None, None, [], None

    def note(self, time: object) -> None:
        """Python does not compare wall-clock times with instants."""
        aware = is_aware(time)
        if self.aware is None:
            self.aware = aware
        elif aware != self.aware:
            raise TypeError("can't compare offset-naive and offset-aware datetimes")


class LateRow(RunError):
    """An item whose window has been emitted. Nothing has changed: where it is `tolerated`, whoever
    runs the operator reports it and goes on."""

    def __init__(self, window: Window, reached: object, tolerated: bool):
        super().__init__(f"an item comes late: its window ended before {window.on} {reached}, "
                         "which has been seen, and was emitted", help=LATE_HELP)
        self.column, self.tolerated = window.on, tolerated
        self.operator = self.raw = ""


LATE_HELP = ('sort the input by time, or give the window late="drop"; --on-error skip leaves such '
             "items out, --on-error divert=PATH keeps them in a file")

OF_A_RUN = {"of a run": True}
"""Marks a field that says how a program is run, and not what it is."""


@dataclass(frozen=True)
class AggregateWindow(Keyed):
    """A record `into` for every window of every key: the attributes `shown`, then the results. Late
    items are errors, unless the run is `tolerant` of them."""

    label = "aggregate"
    window: Window
    by: tuple[str, ...]
    calls: tuple[tuple[str, Call], ...]
    into: type = field(compare=False)
    shown: tuple[str, ...] = ()
    tolerant: bool = field(default=False, compare=False, repr=False, metadata=OF_A_RUN)

    @property
    def functions(self):
        return tuple(f for _, call in self.calls for f in call.functions)

    def new_state(self):
        return KeyState()

    def fire_key(self, state, port, item):
        if state.key is None:
            state.key = {a: getattr(item, a) for a in self.shown}
        advance = self._advance_time if self.window.by_time else self._advance_count
        closed = advance(state, item)
        return [(0, self._result(state, w)) for w in closed] if closed else ()

    def finish_key(self, state, key):
        return [(0, self._result(state, w)) for w in state.open] if self.window.partial else []

    def _advance_count(self, state: KeyState, item: object) -> list[Open]:
        """Adds the item; gives the window that it completes, if any."""
        seen = state.reached or 0
        if seen % self.window.step == 0:
            state.open.append(self._opened(seen // self.window.step))
        state.reached = seen + 1
        self._add(state.open, item)
        complete = state.open and state.open[0].held == self.window.size
        return [state.open.pop(0)] if complete else []

    def _advance_time(self, state: KeyState, item: object) -> list[Open]:
        """Adds the item; gives the windows that ended before it."""
        windows, closed = self.windows_at(state, getattr(item, self.window.on))
        if windows:
            self._add(windows, item)
        return closed

    def windows_at(self, state: KeyState, time: object) -> tuple[list[Open], list[Open]]:
        """The windows that hold an item of this time, which comes next, and those that ended before
        it. None hold one that is late and is dropped."""
        state.note(time)
        elapsed = elapsed_of(time)
        if self._is_next(state, elapsed):
            state.reached = elapsed
            return state.open, []
        numbers = self.window.numbers(elapsed)
        closed = self._advance_to(state, elapsed, numbers)
        if closed is None:
            return [], []
        return [w for w in state.open if w.number in numbers], closed

    def _is_next(self, state: KeyState, elapsed: object) -> bool:
        """Whether an item comes in time and belongs to the one window that is open: so it is with
        most."""
        if not self.window.tumbling or len(state.open) != 1 or elapsed < state.reached:
            return False
        number, window = state.open[0].number, self.window
        return elapsed // window.step == number and window.ends_after(number, elapsed) and (
            not window.ends_after(number - 1, elapsed))

    def _advance_to(self, state: KeyState, elapsed: object, numbers: range) -> list[Open] | None:
        """Opens the windows of an item that comes next; gives those that ended before it. None for
        one that is late and is dropped."""
        if state.reached is not None and elapsed < state.reached:
            if self._is_late(state, numbers):
                return None
        else:
            state.reached = elapsed
        closed = []
        while state.open and not self.window.ends_after(state.open[0].number, state.reached):
            closed.append(state.open.pop(0))
        self._open_missing(state, numbers)
        return closed

    def _open_missing(self, state: KeyState, numbers: range) -> None:
        if not state.open:
            state.open.extend(map(self._opened, numbers))
            return
        known = {w.number for w in state.open}
        if missing := [n for n in numbers if n not in known]:
            state.open.extend(self._opened(n) for n in missing)
            state.open.sort(key=lambda w: w.number)

    def _is_late(self, state: KeyState, numbers: range) -> bool:
        """Whether a window that should hold the item has been emitted already."""
        if not numbers or self.window.ends_after(numbers[0], state.reached):
            return False
        if self.window.late == "drop":
            return True
        reached = self.window.origin(state.aware) + state.reached
        raise LateRow(self.window, reached, self.tolerant)

    def _opened(self, number: int) -> Open:
        return Open(number, [call.fold() for _, call in self.calls])

    @once
    def _getters(self) -> list:
        """The places of the folds that take values, which items each sees, and where it takes its
        values from."""
        return [(place, call.where and call.where.call, call.getter())
                for place, (_, call) in enumerate(self.calls)
                if not issubclass(call.aggregate, WindowStart)]

    def _add(self, windows: list[Open], item: object) -> None:
        values = [(place, getter(item)) for place, where, getter in self._getters
                  if where is None or where(item)]
        for window in windows:
            window.held += 1
            folds = window.folds
            for place, value in values:
                folds[place].add(value)

    @once
    def _bounds(self) -> list[int | None]:
        """Which bound of the window each result is, if it is one."""
        return [int(issubclass(call.aggregate, WindowEnd))
                if issubclass(call.aggregate, WindowStart) else None for _, call in self.calls]

    @once
    def _names(self) -> tuple[str, ...]:
        return (*self.shown, *(name for name, _ in self.calls))

    def values(self, state: KeyState, window: Open) -> list[object]:
        """The attributes that are shown of a key, and the results of its window."""
        return [*state.key.values(),
                *(fold.result() if bound is None
                  else self.window.bounds(window.number, state.aware)[bound]
                  for bound, fold in zip(self._bounds, window.folds, strict=True))]

    def _result(self, state: KeyState, window: Open) -> object:
        values = self.values(state, window)
        if self._names == self.into._fields:
            return self.into._make(values)
        return self.into(**dict(zip(self._names, values)))


class OpenWindows:
    """The latest time, and the open windows of all keys in the order of their first rows, each as
    the state of a key that has this one window. None ends before the one of number `first`."""

    __slots__ = ("times", "reached", "first", "open")  # noqa: RUF023

    def __init__(self):
        self.times, self.reached, self.first, self.open = KeyState(), None, None, {}


@dataclass(frozen=True)
class WatermarkWindow(Keyed):
    """A record for every window of every key, as `of` makes them; all that have ended by the time
    of a row come before it is counted."""

    label = "aggregate"
    by = ()
    of: AggregateWindow

    @property
    def window(self):
        return self.of.window

    @property
    def functions(self):
        return self.of.functions

    def new_state(self):
        return OpenWindows()

    def fire_key(self, state, port, item):
        window, time = self.of.window, getattr(item, self.of.window.on)
        state.times.note(time)
        elapsed = elapsed_of(time)
        numbers = window.numbers(elapsed)
        if state.reached is not None and elapsed < state.reached:
            if self._is_late(state, numbers):
                return ()
        else:
            state.reached = elapsed
        ended = self._ended(state)
        if numbers:
            self._add(state, numbers, item)
        return ended

    def finish_key(self, state, key):
        return self._results(state, state.open) if self.of.window.partial else []

    def _ended(self, state: OpenWindows) -> list:
        ends_after, reached = self.of.window.ends_after, state.reached
        if state.first is None or ends_after(state.first, reached):
            return []
        found = self._results(state, [p for p in state.open if not ends_after(p[0], reached)])
        state.first = min(map(itemgetter(0), state.open), default=None)
        return found

    def _results(self, state: OpenWindows, places) -> list:
        """The results of windows, which are open no more. Windows of one number end together, and
        they are in the order of their first rows."""
        ended = [state.open.pop(place) for place in sorted(places, key=itemgetter(0))]
        return [(0, self.of._result(own, own.open[0])) for own in ended]

    def _add(self, state: OpenWindows, numbers: range, item: object) -> None:
        key = key_function(self.of.by)(item)
        self.of._add([self._window(state, number, key, item) for number in numbers], item)
        state.first = numbers[0] if state.first is None else min(state.first, numbers[0])

    def _window(self, state: OpenWindows, number: int, key: object, item: object) -> Open:
        own = state.open.get((number, key))
        if own is None:
            own = state.open[number, key] = KeyState()
            own.key = {a: getattr(item, a) for a in self.of.shown}
            own.aware, own.open = state.times.aware, [self.of._opened(number)]
        return own.open[0]

    def _is_late(self, state: OpenWindows, numbers: range) -> bool:
        """Whether a window that should hold the item has ended: an operator before this one has
        changed the times."""
        window = self.of.window
        if not numbers or window.ends_after(numbers[0], state.reached):
            return False
        if window.late == "drop":
            return True
        raise LateRow(window, window.origin(state.times.aware) + state.reached, self.of.tolerant)


@dataclass(frozen=True)
class Keep:
    """What a side of a join keeps for each key: its last `count` items, or those of a time span.

    `on` is the time attribute of the side's items; both sides have one when either goes by time.
    """

    count: int | None = None
    time: object = None
    on: str | None = None

    def __str__(self) -> str:
        return f"recent(time={self.time})" if self.time else f"recent(count={self.count})"

    def add(self, kept: deque, item: object) -> None:
        kept.append(item)
        if self.count is not None and len(kept) > self.count:
            kept.popleft()

    def expire(self, kept: deque, now: object) -> None:
        """Drops what lies more than the time span before `now`."""
        while self.time is not None and kept and (
                moment(now) - moment(getattr(kept[0], self.on)) > self.time):
            kept.popleft()


@dataclass(frozen=True)
class WindowJoin(Keyed):
    """`function(left, right)` for every pair of one key that is within both sides' windows.

    An arriving item meets the kept items of the other side, oldest first, then is kept itself.
    With `outer`, a left item that meets nothing gives `function(left, None)`.
    """

    label = "join"
    by: tuple[str, ...]
    by_right: tuple[str, ...]
    keep: tuple[Keep, Keep]
    function: Function
    outer: bool = False

    @property
    def functions(self):
        return (self.function,)

    @property
    def ports(self):
        return 2

    def keys_of(self, port):
        return self.by_right if port else self.by

    def new_state(self):
        return deque(), deque()

    def fire_key(self, state, port, item):
        if (on := self.keep[port].on) is not None:
            for side in (0, 1):
                self.keep[side].expire(state[side], getattr(item, on))
        met = state[1 - port]
        pairs = [(m, item) if port else (item, m) for m in met]
        if self.outer and port == 0 and not met:
            pairs = [(item, None)]
        self.keep[port].add(state[port], item)
        return [(0, self.function.call(left, right)) for left, right in pairs]
