"""How a worker of a plan updates its state: by a line of its own."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.engine.items import Columns, as_batch
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.line import Line
from anabranch.ir.types import Type
from anabranch.sync.messages import Run
from anabranch.sync.updates import Failed


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
