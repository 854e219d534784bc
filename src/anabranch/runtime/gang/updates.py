"""How a worker takes a run of events: by a line of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anabranch.batch.items import Columns, as_batch
from anabranch.batch.slices import Flow
from anabranch.ir.types import Type
from anabranch.runtime.gang.messages import Run
from anabranch.runtime.stage.rows import Line


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


def line_state(line: Line, keyed: bool) -> object | None:
    """The state that a line of one operator holds: of all keys, or the only one, if it is there."""
    (values, _), = line.state()
    return values[0] if keyed else values[0].get(None)


class LineUpdates:
    """Updates by a line of its own: plain Python, or a kernel over columns. What it gives is put
    into columns of the type `output`, if there is one: so it travels and is merged fast."""

    def __init__(self, line: Line, keyed: bool, output: Type | None = None):
        self.line, self.keyed = line, keyed
        self.output = output

    def __call__(self, state: object, run: Run, outputs: list[Run]
                 ) -> tuple[object, Failed | None]:
        if state is not self:
            self.line.adopt([([state if self.keyed else {None: state}], None)])
        outcome = self.line.run(0, Flow(run.stamps, run.items))
        flow = outcome.outputs[0]
        outputs.append(Run(flow.rows, self._in_columns(flow.items)))
        failed = next((Failed(stamp, error) for (_, stamp), error in outcome.failures), None)
        # The line has the state now, until somebody needs it plain.
        return self, failed

    def _in_columns(self, items: Sequence[object]) -> Sequence[object]:
        batch = None if self.output is None else as_batch(items, self.output)
        return items if batch is None else Columns(batch, self.output)

    def plain(self, state: object) -> object:
        return line_state(self.line, self.keyed) if state is self else state
