"""How a worker takes a run of events: one update after another, in plain Python."""

from __future__ import annotations

from typing import Protocol

from anabranch.sync.messages import Run
from anabranch.sync.program import Program


class Failed(Exception):
    """What an update, a fork or a join raised, and at the event with which stamp; an update has
    the item too."""

    def __init__(self, stamp: int, error: BaseException, *item: object):
        super().__init__(stamp, error, *item)
        self.stamp, self.error, self.item = stamp, error, item


class Updates(Protocol):
    """Takes a run with a state, adds to the outputs, and gives the state behind it, which may have
    a form of its own until it is needed as the user knows it: `plain` gives that."""

    def __call__(self, state: object, run: Run, outputs: list[Run]) -> object: ...

    def plain(self, state: object) -> object: ...


class RowUpdates:
    """One event after another; the state is the user's own."""

    def __init__(self, program: Program):
        self.update = program.update

    def __call__(self, state: object, run: Run, outputs: list[Run]) -> object:
        update, stamps, items = self.update, [], []
        outputs.append(Run(stamps, items))
        stamp = item = None
        try:
            for stamp, item in zip(run.stamps, run.items):
                for out in update(state, item):
                    stamps.append(stamp)
                    items.append(out)
        except (Exception, SystemExit) as error:
            raise Failed(stamp, error, item) from error
        return state

    def plain(self, state: object) -> object:
        return state
