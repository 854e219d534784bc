"""What Spark computes, or our error with what it says of the cause."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from anabranch.core.errors import RunError
from anabranch.runtime.progress import Counted

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

    from anabranch.engine.spark.session.connect import ConnectContext


def computed(rdd: RDD, function: Callable[[Iterable], Iterable], chosen: Iterable[int]) -> list:
    """What a function gives for the elements of the chosen partitions."""
    try:
        return rdd.context.runJob(rdd, function, list(chosen))
    except Exception as error:
        raise unfinished(error) from None


def each(context: SparkContext | ConnectContext, function: Callable, items: Sequence) -> Iterator:
    """What a function gives for each item, each in a task of its own, in order."""
    if _is_connect(context):
        return context.each(function, items)
    made = context.parallelize(items, len(items)).map(function)
    return made.toLocalIterator(prefetchPartitions=True)


def all_of(context: SparkContext | ConnectContext, function: Callable, items: Sequence) -> Iterator:
    """The same by one job, which gives all results at once: they must not be large."""
    if _is_connect(context):
        return context.each(function, items)
    made = context.parallelize(items, len(items)).map(function)
    return iter(computed(made, list, range(len(items))))


def tasks_of(context: SparkContext | ConnectContext) -> Counted | None:
    """Tells how many tasks of the jobs that run now are done; a server of Spark Connect does not.
    """
    if _is_connect(context):
        return None
    tracker = context.statusTracker()

    def counted() -> tuple[int, int] | None:
        jobs = [tracker.getJobInfo(job) for job in tracker.getActiveJobsIds()]
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        known = [stage for stage in stages if stage]
        done = sum(stage.numCompletedTasks for stage in known)
        return (done, sum(stage.numTasks for stage in known)) if known else None
    return counted


def _is_connect(context: SparkContext | ConnectContext) -> bool:
    from anabranch.engine.spark.session.connect import ConnectContext

    return isinstance(context, ConnectContext)


def unfinished(error: Exception) -> RunError:
    told = last_words(error)
    missing = f"the Python of the tasks has no such package; PYSPARK_PYTHON={sys.executable}, " \
        "set before the session is made, gives them this one"
    more = "a log4j2.properties in SPARK_CONF_DIR shows more of Spark's log"
    return RunError("Spark could not finish the program", got=told,
                    help=missing if "ModuleNotFoundError" in told else more)


def last_words(error: Exception) -> str:
    """What a failed job says of its cause, without the stacks of Java and Python.

    >>> last_words(Exception("Job aborted\\n\\tat org.apache.spark.X\\nValueError: no\\n"))
    'ValueError: no'
    """
    java = getattr(error, "java_exception", None)
    text = java.toString() if java is not None else str(error)
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not line.startswith(("at ", "Driver stacktrace"))]
    named = [line for line in said if "Error: " in line or "Exception: " in line]
    return (named or said or [type(error).__name__])[-1]
