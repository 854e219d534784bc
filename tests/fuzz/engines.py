"""Runs a case on every engine, tier and degree in this process, and compares with the sequential.

Kernels are run by Python itself, as compiling one for each program would take seconds; a share of
the cases is compiled all the same, and a share runs on Spark.
"""

from __future__ import annotations

import contextlib
import decimal
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.engine.run import execute
from anabranch.io.python.objects import CallbackSink, ListSink
from anabranch.lang import python
from anabranch.runtime.options import RunOptions
from fuzz.programs import Case
from interpreting import kernels_in_python


@dataclass(frozen=True)
class Configuration:
    """An engine with its options, as a user would give them. With `compiled`, kernels are compiled
    by Numba; else Python runs their code."""

    engine: str
    workers: int | None = None
    tune: dict | None = None
    compiled: bool = False

    def __str__(self) -> str:
        knobs = "".join(f" --tune '{name}={value}'" for name, value in (self.tune or {}).items())
        workers = f" --workers {self.workers}" if self.workers else ""
        return f"--engine {self.engine}{workers}{knobs}"


SEQUENTIAL = Configuration("sequential")
SPARK = Configuration("spark")


def _multicore(workers: int, **tune: object) -> Configuration:
    return Configuration("multicore", workers, tune or None)


CONFIGURATIONS = (
    _multicore(1),
    _multicore(2, processes="never", kernels="never", slice_size=1),
    _multicore(3, processes="never", kernels="never", slice_size=3, reorder="lock",
               queue="partitioned", moves="random"),
    _multicore(4, processes="never", kernels="never"),
    _multicore(2, processes="always", kernels="never", slice_size=2, moves="random"),
    _multicore(3, processes="always", kernels="never", slice_size=7),
    _multicore(1, kernels="always", slice_size=2),
    _multicore(2, kernels="always", processes="never", slice_size=5, kernel_buckets=3),
    _multicore(4, kernels="always", processes="never"),
    _multicore(2, kernels="always", processes="always", slice_size=4, slices_under_way=2),
)
COMPILED = (Configuration("multicore", 2, {"kernels": "always"}, compiled=True),
            Configuration("multicore", 1, {"kernels": "always", "slice_size": 3}, compiled=True))
COMPILED_SHARE, SPARK_SHARE = 60, 150
"""One of so many programs is compiled, and one of so many runs on Spark."""


def configurations(case: Case) -> list[Configuration]:
    """Those for one program: ten, and those that are slow for a few programs only. Many rows go in
    larger slices."""
    draw = random.Random(case.seed)
    chosen = [_coarse(each) for each in CONFIGURATIONS] if case.large else list(CONFIGURATIONS)
    if draw.randrange(COMPILED_SHARE) == 0:
        chosen += COMPILED
    if draw.randrange(SPARK_SHARE) == 0 and find_spec("pyspark"):
        chosen.append(SPARK)
    return chosen


def _coarse(given: Configuration) -> Configuration:
    size = (given.tune or {}).get("slice_size")
    return replace(given, tune=given.tune | {"slice_size": 50 * size}) if size else given


@dataclass
class Outcome:
    """What came of a run: each sink's items as text, or the error; `seen` is what callbacks were
    given, also before an error. `paths` counts rows by the way they took."""

    sinks: dict[str, str] = field(default_factory=dict)
    seen: dict[str, list[str]] = field(default_factory=dict)
    error: str = ""
    refused: bool = False
    paths: Counter = field(default_factory=Counter)

    def agrees(self, other: Outcome) -> bool:
        """Whether another engine's outcome is as good as this one's, which is the sequential's."""
        if (self.error, self.sinks) != (other.error, other.sinks):
            return False
        if self.error:
            return all(mine[:len(other.seen[name])] == other.seen[name]
                       for name, mine in self.seen.items() if name in other.seen)
        return self.seen == other.seen

    def __str__(self) -> str:
        return self.error or "\n".join(
            f"{name}: {text}" for name, text in (self.sinks | self.seen).items())


def placed(case: Case, folder: Path) -> Path:
    """Writes the program and its files into a folder."""
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    path = folder / "program.py"
    path.write_text(case.source)
    return path


def outcome(path: Path, configuration: Configuration, on_error: str = "stop") -> Outcome:
    """One run of the program, loaded anew with all that it imports from its folder."""
    found = Outcome()
    with _alone(path.parent), _tier(configuration), decimal.localcontext():
        try:
            graph = python.load(path, {})
        except ProgramError as error:
            return Outcome(error=_text(error), refused=True)
        try:
            report = execute(compile_graph(graph), RunOptions(
                configuration.engine, configuration.workers, on_error=on_error,
                tune=configuration.tune))
            found.paths = _paths(report)
            found.sinks = {op.name: _shown(op.kind.spec) for op in graph.sinks
                           if not isinstance(op.kind.spec, CallbackSink)}
        except AnabranchError as error:
            found.error, found.refused = _text(error), isinstance(error, ProgramError)
        except Exception as error:
            found.error = f"not ours: {type(error).__name__}: {error}"
        found.seen = {op.name: [repr(item) for item in op.kind.spec.callback.__self__]
                      for op in graph.sinks if isinstance(op.kind.spec, CallbackSink)}
    return found


@dataclass(frozen=True)
class Difference:
    """What one configuration gave instead of the sequential outcome."""

    configuration: Configuration
    wanted: Outcome
    came: Outcome

    def __str__(self) -> str:
        return (f"{self.configuration}\nsequential:\n{str(self.wanted)[:2000]}\n"
                f"came:\n{str(self.came)[:2000]}")

    @property
    def kind(self) -> tuple[bool, bool]:
        return bool(self.wanted.error), bool(self.came.error)


def differences(case: Case, chosen: Sequence[Configuration], paths: Counter | None = None,
                most: int | None = None, after_each: Callable[[], None] = lambda: None
                ) -> list[Difference]:
    """Where a configuration does not give the sequential outcome, at `most` so many; `paths`
    counts the rows by the way that they took, and a run is told `after_each`."""
    found = []
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = placed(case, Path(folder))
        wanted = outcome(path, SEQUENTIAL, case.on_error)
        after_each()
        for configuration in () if wanted.refused else chosen:
            came = outcome(path, configuration, case.on_error)
            after_each()
            if paths is not None:
                paths.update(came.paths)
            # What Spark cannot do it refuses, before anything runs.
            if not (wanted.agrees(came) or (came.refused and configuration == SPARK)):
                found.append(Difference(configuration, wanted, came))
                if len(found) == most:
                    break
    if paths is not None:
        paths["refused" if wanted.refused else "failed" if wanted.error else "succeeded"] += 1
    return found


ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def _text(error: AnabranchError) -> str:
    return ADDRESS.sub("", f"{type(error).__name__}: {error}")


def _shown(spec: object) -> str:
    if isinstance(spec, ListSink):
        return repr(spec.target)
    path = Path(spec.path)
    if not path.exists():
        return "no file"
    if path.suffix != ".parquet":
        return repr(path.read_bytes())
    from pyarrow import parquet
    return repr(parquet.read_table(path).to_pylist())


def _paths(report) -> Counter:
    """How many rows went through each tier, and the ways that stages were shared."""
    rows = Counter()
    for stage in report.stages:
        rows.update(stage.rows_by_tier)
        rows[stage.sharing] += stage.rows_in
    return rows


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No output of an earlier run, and no module that one has imported."""
    for old in folder.glob("out*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


def _tier(configuration: Configuration) -> contextlib.AbstractContextManager:
    return contextlib.nullcontext() if configuration.compiled else kernels_in_python()
