"""The suites: which workloads each has, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module

from anabranch.core.errors import UsageError, did_you_mean
from benchmarks.measurement import Outcome, Setting, Workload
from benchmarks.papers import beside


def _workload(name: str, title: str, module: str, **given: str) -> Workload:
    """`module` is a path below `benchmarks.workloads`."""
    return Workload(name, title, _measure(module, **given))


@cache
def _measure(module: str, **given: str) -> Callable[[Setting], Outcome]:
    """The same function for the same work."""
    return partial(_measured, module, **given)


def _measured(module: str, setting: Setting, **given: str) -> Outcome:
    """The module is imported when it runs: some bring much with them."""
    return import_module(f"benchmarks.workloads.{module}").measure(setting, **given)


def _paper(paper: str, *figures: Workload) -> tuple[Workload, ...]:
    """Workloads with what the paper tells of them beside."""
    return tuple(replace(workload, beside=partial(beside, paper, workload.name))
                 for workload in figures)


SUITES: dict[str, tuple[Workload, ...]] = {
    "core": (
        _workload("compiling", "building and compiling a program of 200 operators",
                  "engine.compiling"),
        _workload("sequential", "the sequential engine against a plain loop",
                  "files.sequential")),
    "multicore": (
        _workload("w1", "running balance: filter, map, a sum for each of 10,000 users, in order",
                  "files.w1"),
        _workload("w2", "network monitor: counts of each user in windows of 5 s, above 100",
                  "files.w2"),
        _workload("w3", "event windows: sums between barriers, one for 10,000 values", "files.w3"),
        _workload("w4", "opaque function: 20 microseconds of plain Python, in order", "files.w4"),
        _workload("order", "what order costs: turns, sequence numbers and pulses against none",
                  "engine.order"),
        _workload("skew", "uneven keys: the hybrid queue against partitioned queues",
                  "engine.skew"),
        _workload("scheduling", "CT, LP, ET and QST on five pipelines", "engine.scheduling"),
        _workload("latency", "keyed state from end to end at 1,000 and 100,000 rows/s",
                  "engine.latency"),
        _workload("scaling", "stateless, keyed and shuffled regions with more workers",
                  "engine.scaling"),
        _workload("compiled", "compiled regions with more workers, and W1 against Polars",
                  "engine.compiled")),
    "cliffs": (
        _workload("w1", "W1 with one thing changed at a time, against W1", "files.cliffs"),),
    "synchronization": (
        _workload("applications", "event windows, fraud and page views with more workers",
                  "engine.synchronization", part="applications"),
        _workload("pages", "page views with two hot pages: by key, and with hot keys split",
                  "engine.synchronization", part="pages"),
        _workload("rates", "synchronizing events from one of 100 to one of 100,000",
                  "engine.synchronization", part="rates"),
        _workload("heartbeats", "1 to 1,000 heartbeats for each synchronizing event",
                  "engine.synchronization", part="heartbeats"),
        _workload("gang", "a gang of Spark's tasks against the multicore engine", "spark.gang")),
    "languages": (
        _workload("radio", "FM radio of ten bands in StreamIt against NumPy", "languages.radio"),
        _workload("lines", "the query log analyzer in Sawzall against a plain loop",
                  "languages.lines"),
        _workload("windows", "a tuple in CQL when its window holds 1,000 and 1,000,000",
                  "languages.windows")),
    "spark": (
        _workload("w1", "running balance as a stream, 10,000 users", "spark.w1"),
        _workload("stateless", "filter, arithmetic and string tests", "spark.stateless"),
        _workload("w2", "network monitor", "spark.w2"),
        _workload("w4", "opaque function: 20 microseconds of plain Python", "spark.w4"),
        _workload("growth", "batches of 10,000 keys when more and more are known",
                  "spark.growth"),
        _workload("latency", "W1 at 1,000 rows/s", "spark.latency"),
        _workload("startup", "a program of ten rows against a bare session", "spark.startup")),
    "peers": (
        _workload("w1", "running balance against other systems", "files.peers", program="w1"),
        _workload("w2", "network monitor against other systems", "files.peers", program="w2"),
        _workload("w3", "event windows against other systems", "files.peers", program="w3"),
        _workload("w4", "opaque function against other systems", "files.peers", program="w4"),
        _workload("tags", "five posts in a row against other systems", "files.peers",
                  program="tags"),
        _workload("fraud", "fraud against other systems", "files.peers", program="fraud")),
    "schneider": _paper(
        "schneider",
        _workload("figure-6", "scalability", "engine.scaling"),
        _workload("figure-8-order", "what order costs", "engine.order"),
        _workload("figure-8-epochs", "epochs", "engine.epochs", part="epochs"),
        _workload("figure-8-selectivity", "selectivity", "engine.epochs", part="selectivity"),
        _workload("figure-12", "applications", "languages.applications", group="regions")),
    "prasaad": _paper(
        "prasaad",
        _workload("figure-8", "heuristics", "engine.scheduling"),
        _workload("figures-9-10", "uneven keys, latency", "engine.skew"),
        _workload("figure-11", "queues on pipelines", "engine.switches", switch="queue"),
        _workload("figure-12", "reordering of light tuples", "engine.reordering", program="light"),
        _workload("figure-13", "reordering of many outputs", "engine.reordering",
                  program="selective"),
        _workload("figure-14", "reordering on pipelines", "engine.switches", switch="reorder")),
    "kallas": _paper(
        "kallas",
        _workload("figures-4-8", "applications, also of Table 1", "engine.synchronization",
                  part="applications"),
        _workload("figure-6", "latency at rising rates", "engine.loaded")),
    "soule": _paper(
        "soule",
        _workload("figure-20-placement", "(a, b): Linear Road and FM radio",
                  "languages.applications", group="placement"),
        _workload("figure-20-fission", "(c, d): query log analyzers",
                  "languages.applications", group="fission"),
        _workload("calibration", "Sawzall on Spark against PySpark", "languages.calibration"),
        _workload("figure-21", "shared variables", "engine.sharing")),
}
FAMILIES = {"papers": ("schneider", "prasaad", "kallas", "soule")}
DEFAULT = ("core", "multicore")


def expanded(suites: tuple[str, ...]) -> tuple[str, ...]:
    """The suites that names of suites and of families of them stand for."""
    return tuple(suite for name in suites for suite in FAMILIES.get(name, (name,)))


def first_place(suite: str, name: str) -> tuple[str, str]:
    """The suite and the name under which the work of a workload stands first.

    >>> first_place("schneider", "figure-6")
    ('multicore', 'scaling')
    """
    work = {(s, w.name): w.measure for s, workloads in SUITES.items() for w in workloads}
    same = (place for place, measure in work.items() if measure is work.get((suite, name)))
    return next(same, (suite, name))


def chosen(suites: tuple[str, ...], only: tuple[str, ...]) -> dict[str, list[Workload]]:
    """The workloads of the named suites, or those named of them; a `UsageError` for others."""
    suites = expanded(suites)
    for suite in suites:
        if suite not in SUITES:
            known = [*SUITES, *FAMILIES]
            raise UsageError(f"there is no suite '{suite}'", help=did_you_mean(suite, known))
    names = [workload.name for suite in suites for workload in SUITES[suite]]
    for name in only:
        if name not in names:
            raise UsageError(f"there is no workload '{name}' in {', '.join(suites)}",
                             help=did_you_mean(name, names))
    return {suite: found for suite in suites
            if (found := [w for w in SUITES[suite] if not only or w.name in only])}
