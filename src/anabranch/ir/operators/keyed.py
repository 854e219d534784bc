"""Kinds with a state for each key, and the user's own operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter

from anabranch.ir.function import Function
from anabranch.ir.keys import canonical, state_of
from anabranch.ir.operators.kind import Kind, Output


class Keyed(Kind):
    """A kind whose variable is a map from keys to states; without `by` there is a single state."""

    stateful = True
    by: tuple[str, ...]

    def start(self) -> dict:
        return {}

    def new_state(self) -> object:
        """The state of a key that was not seen before; every kind has its own."""
        raise NotImplementedError

    def fire_key(self, state: object, port: int, item: object) -> Iterable[Output]:
        """One firing with the state of the item's key; every kind has its own."""
        raise NotImplementedError

    def finish_key(self, state: object) -> Iterable[Output]:
        return ()

    def keys_of(self, port: int) -> tuple[str, ...]:
        """The attributes that make the key of an item on this port."""
        return self.by

    def open(self, cells):
        states, new, fire_key = cells[0].value, self.new_state, self.fire_key
        key_of = [attributes_of(self.keys_of(port)) for port in range(self.ports)]

        def fire(port, item):
            key = key_of[port](item)
            state = states.get(key)
            if state is None:
                state = state_of(states, key, new)
            return fire_key(state, port, item)
        return fire

    def finish(self, cells):
        # A dict keeps its keys in the order of their first appearance: that is our order too.
        for state in cells[0].value.values():
            yield from self.finish_key(state)

    @property
    def ports(self) -> int:
        return 1


WHOLE_ITEM = ("*",)


def key_function(attributes: tuple[str, ...]) -> Callable[[object], object]:
    """From an item to its key.

    >>> key_function(("*",))(7), key_function(())(7)
    (7, None)
    """
    found = attributes_of(attributes)
    return lambda item: canonical(found(item))


def attributes_of(attributes: tuple[str, ...]) -> Callable[[object], object]:
    """From an item to what its key is made of: its attributes, all of it for `*`, or nothing when
    there are none. As it comes it need not be the key, but `state_of` finds the key's state."""
    if attributes == WHOLE_ITEM:
        return lambda item: item
    return attrgetter(*attributes) if attributes else lambda item: None


@dataclass(frozen=True)
class Apply(Keyed):
    """The user's own operator: `function(state, item)`, or `function(item)` without state."""

    label = "apply"
    function: Function
    state: type | None = None
    by: tuple[str, ...] = ()
    at_end: Function | None = None

    @property
    def stateful(self):
        return self.state is not None

    @property
    def functions(self):
        return (self.function, self.at_end) if self.at_end else (self.function,)

    def open(self, cells):
        if self.stateful:
            return super().open(cells)
        call = self.function.call
        return lambda port, item: [(0, out) for out in call(item)]

    def new_state(self):
        return self.state()

    def fire_key(self, state, port, item):
        return [(0, out) for out in self.function.call(state, item)]

    def finish(self, cells):
        return super().finish(cells) if self.at_end else ()

    def finish_key(self, state):
        return [(0, out) for out in self.at_end.call(state)]
