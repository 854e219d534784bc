"""The body of a program: from a block of lines to what its records show and emit.

Every line of the input is a record of its own, for which the generated function is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span
from anabranch.io.text.places import LineBlock
from anabranch.lang.common.depth import deep_calls
from anabranch.lang.sawzall.library.emissions import TEXT, Output, Run
from anabranch.lang.sawzall.library.values import Stopped

LIMITS = {RecursionError: "the functions of the program call each other too deeply",
          MemoryError: "there is not enough memory", OverflowError: "this is too large"}
DEEPEST = 50_000
"""So many calls inside of each other; Python's own limit is lower, and needed for other code."""


@dataclass(frozen=True)
class Compiled:
    """A program: the function of a record, the tables whose order counts, and the places in the
    program of the lines of generated text."""

    main: Callable[[Run, bytes], None]
    ordered: frozenset[int]
    file: str
    spans: dict[int, Span]
    counting: Callable[[Run, LineBlock, Callable], None] | None = None
    """What processes the records of a block, if there is something faster than line by line."""
    static: Run | None = None
    """What was emitted while static values were computed, which comes before the first record."""

    def outputs(self, block: LineBlock) -> list[Output]:
        """What the records of a block give. After a failure comes what it was, for the sink to
        raise: all that was shown before it must be written first."""
        run = Run(block)
        error = self._stopped(run, block)
        if error is None:
            return run.outputs(self.ordered)
        run.folds, run.sums = {}, {}
        return [*run.outputs(self.ordered), Output(TEXT, 0, 0, error)]

    def _stopped(self, run: Run, block: LineBlock) -> AnabranchError | None:
        """Processes the records of a block; what has stopped that, if anything has."""
        if self.static is not None and not block.number:
            run.begin_with(self.static)
        with deep_calls(DEEPEST):
            try:
                (self._each_line if self.counting is None else self.counting)(run, block, self.main)
            except Exception as error:
                return self.located(error, run)
        run.fold()
        return None

    @staticmethod
    def _each_line(run: Run, block: LineBlock, main: Callable) -> None:
        for number, line in enumerate(block.data.split(b"\n"), block.first):
            run.record = number
            main(run, line)

    def located(self, error: BaseException, run: Run | None) -> AnabranchError:
        """The error with the place in the program whose generated line was running."""
        trace, line = error.__traceback__, None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.file:
                line = trace.tb_lineno
            trace = trace.tb_next
        if not isinstance(error, AnabranchError):
            error = Stopped(LIMITS.get(type(error)) or f"this cannot be computed: {error}")
        error.where = error.where or self.spans.get(line)
        if run is not None and error.got is None:
            error.got = _record(run)
        return error.with_traceback(None)


def _record(run: Run) -> str:
    if not run.block.file:
        return "the record 0 of no input"
    line = run.block.data.split(b"\n")[run.record - run.block.first]
    shown = repr(line)[1:]
    return (f"record {run.record} of {run.block.file} (line {run.record + 1}): "
            f"{shown if len(shown) <= 200 else shown[:200] + '...'}")
