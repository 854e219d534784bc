"""What a run is asked for, and its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from anabranch.plan.physical.plan import Execution, StageTier
from anabranch.runtime.progress import Progress
from anabranch.runtime.recording import Recording

if TYPE_CHECKING:
    from anabranch.runtime.metrics import StageMetrics

DEFAULT_ENGINE = "spark"
Engine = Literal["sequential", "multicore", "spark"]


@dataclass(frozen=True)
class RunOptions:
    """What the user asked for. `progress` is told how the run gets on; a function is given
    the rows read so far, per source, and for a stream the batches done.

    With `part_files` every file that is written is a folder of part files; with `single_file` such
    a folder has one part. `session` is the Spark session to run on. With
    `keep_spark` a local Spark that is started stays for the runs after it.

    With `stream` the sources are read as they grow. `checkpoint` is the folder from which a stream
    goes on, unless it is to `start_over`; `trigger` says when a batch is made, and
    `files_per_batch` of how much at most. `until_idle` ends the input when nothing comes for so
    many seconds; otherwise the operators are not told of its end.

    An event `stopping` that is set ends a stream behind the batch that is being done.

    `tune` turns knobs of the engine, which change its speed and never its output: those of
    `plan.tuning.Knobs` on multicore, of `plan.physical.spark.tuning.SparkKnobs` on Spark.

    `rules` names the optimizations in their order, if it is not the usual one.

    `report` is the file for a page about the run, for which a `recording` is made.
    """

    engine: str = DEFAULT_ENGINE
    workers: int | None = None
    master: str | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    limit: int | None = None
    on_error: str = "stop"
    single_file: bool = False
    part_files: bool = False
    session: object | None = None
    keep_spark: bool | None = None
    stream: bool = False
    checkpoint: str | None = None
    trigger: str | None = None
    until_idle: float | None = None
    files_per_batch: int | None = None
    start_over: bool = False
    stopping: Event | None = None
    progress: Progress | Callable[..., None] | None = None
    report: str | None = None
    recording: Recording | None = None
    tune: dict[str, object] | None = None
    rules: str | Sequence[str] | None = None


class Keywords(TypedDict, total=False):
    """The same as keyword arguments, for type checkers and editors; where an engine has a name of
    its own."""

    workers: int | None
    master: str | None
    inputs: dict[str, str]
    outputs: dict[str, str]
    limit: int | None
    on_error: str
    single_file: bool
    part_files: bool
    session: object
    keep_spark: bool | None
    stream: bool
    checkpoint: str | None
    trigger: str | None
    until_idle: float | None
    files_per_batch: int | None
    start_over: bool
    progress: Callable[..., None] | None
    report: str | None
    recording: Recording | None
    tune: dict[str, Any] | None
    rules: str | Sequence[str] | None


class RunKeywords(Keywords, total=False):
    """All of them."""

    engine: Engine
    stopping: Event | None


@dataclass
class RunReport:
    """What a run did, in which tier (rows, or a kernel over columns), what was measured of each
    stage by an engine that has stages, what was done where by one that has several places, and in
    which form each source was read and each sink written. `explained` gives what `explain` tells
    of the run, which may take longer than a short run.
    `started` is how many of its seconds it took to start Spark, if it was started for the run."""

    read: dict[str, int]
    written: dict[str, int]
    tier: str = "rows"
    stages: list = field(default_factory=list)
    bad_rows: str = ""
    seconds: float = 0.0
    started: float | None = None
    batches: int = 0
    note: str = ""
    execution: Execution | None = None
    reads: dict[str, str] = field(default_factory=dict)
    writes: dict[str, str] = field(default_factory=dict)
    explained: Callable[[], Execution] | None = field(default=None, repr=False, compare=False)

    def told_stages(self) -> list:
        """The stages with their reasons in the words of `explain`, where they ran in the tier that
        it names."""
        # An engine that has recorded its execution has done so in these words.
        asked = self.explained is not None and self.execution is None and self.stages
        told = {stage.operators: stage for stage in self.explained().stages} if asked else {}
        return [_in_its_words(stage, told.get(stage.operators)) for stage in self.stages]


def _in_its_words(stage: StageMetrics, told: StageTier | None) -> StageMetrics:
    if told is None or told.tier != stage.tier:
        return stage
    return replace(stage, reason=told.reason.text if told.reason else "")
