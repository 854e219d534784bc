"""How a worker takes a run of events: one update after another, in plain Python."""

from __future__ import annotations

from typing import Protocol

from anabranch.sync.messages import Run
from anabranch.sync.program import Program


class Failed(Exception):
    """What an update, a fork or a join raised, and at the event with which stamp."""

    def __init__(self, stamp: int, error: BaseException):
        super().__init__(stamp, error)
        self.stamp, self.error = stamp, error


class Updates(Protocol):
    """Takes a run with a state, adds to the outputs, and gives the state behind it, and the failure
    if there is one. The state may have a form of its own, until `plain` is asked for."""

    def __call__(self, state: object, run: Run, outputs: list[Run]
                 ) -> tuple[object, Failed | None]: ...

    def plain(self, state: object) -> object: ...


class RowUpdates:
    """One event after another; the state is the user's own."""

    def __init__(self, program: Program):
        self.update = program.update

    def __call__(self, state: object, run: Run, outputs: list[Run]
                 ) -> tuple[object, Failed | None]:
        update, stamps, items = self.update, [], []
        outputs.append(Run(stamps, items))
        stamp = None
        try:
            for stamp, item in zip(run.stamps, run.items):
                for out in update(state, item):
                    stamps.append(stamp)
                    items.append(out)
        except (Exception, SystemExit) as error:
            return state, Failed(stamp, error)
        return state, None

    def plain(self, state: object) -> object:
        return state
