"""The suites: which workloads each has, in the order in which they run."""

from __future__ import annotations

from importlib import import_module

from anabranch.bench.measurement import Outcome, Setting, Workload
from anabranch.bench.papers import beside
from anabranch.errors import UsageError, did_you_mean


def _workload(name: str, title: str, module: str | None = None, **given: str) -> Workload:
    """Its module is imported when it runs: some bring much with them."""
    def measure(setting: Setting) -> Outcome:
        found = import_module(f"anabranch.bench.workloads.{module or name}")
        return found.measure(setting, **given)
    return Workload(name, title, measure)


def _figure(name: str, title: str, module: str, **given: str) -> Workload:
    """A workload with what the paper tells of it beside."""
    inner = _workload(name, title, module, **given)

    def measure(setting: Setting) -> Outcome:
        outcome = inner.measure(setting)
        return outcome.joined(Outcome(beside=beside(name, outcome)))
    return Workload(name, title, measure)


SUITES: dict[str, tuple[Workload, ...]] = {
    "core": (
        _workload("compiling", "building and compiling a program of 200 operators"),
        _workload("sequential", "the sequential engine against a plain loop")),
    "multicore": (
        _workload("w1", "running balance: filter, map, a sum for each of 10,000 users, in order"),
        _workload("w2", "network monitor: counts of each user in windows of 5 s, above 100"),
        _workload("w3", "event windows: sums between barriers, one for 10,000 values"),
        _workload("w4", "opaque function: 20 microseconds of plain Python, in order"),
        _workload("order", "what order costs: sequence numbers and pulses against none"),
        _workload("skew", "uneven keys: the hybrid queue against partitioned queues"),
        _workload("scheduling", "CT, LP, ET and QST on five pipelines"),
        _workload("latency", "keyed state from end to end at 1,000 and 100,000 rows/s"),
        _workload("scaling", "stateless, keyed and shuffled regions with more workers")),
    "synchronization": (
        _workload("applications", "event windows, fraud and page views with more workers",
                  "synchronization", part="applications"),
        _workload("pages", "page views with two hot pages: by key, and with hot keys split",
                  "synchronization", part="pages"),
        _workload("rates", "synchronizing events from one of 100 to one of 100,000",
                  "synchronization", part="rates"),
        _workload("heartbeats", "1 to 1,000 heartbeats for each synchronizing event",
                  "synchronization", part="heartbeats"),
        _workload("gang", "a gang of Spark's tasks against the multicore engine", "spark_gang")),
    "spark": (
        _workload("w1", "running balance as a stream, 10,000 users", "spark_w1"),
        _workload("stateless", "filter, arithmetic and string tests", "spark_stateless"),
        _workload("w2", "network monitor", "spark_w2"),
        _workload("w4", "opaque function: 20 microseconds of plain Python", "spark_w4"),
        _workload("growth", "batches of 10,000 keys when more and more are known",
                  "spark_growth"),
        _workload("latency", "W1 at 1,000 rows/s", "spark_latency"),
        _workload("startup", "a program of ten rows against a bare session", "spark_startup")),
    "peers": (
        _workload("w1", "running balance against other systems", "peers", program="w1"),
        _workload("w2", "network monitor against other systems", "peers", program="w2"),
        _workload("w3", "event windows against other systems", "peers", program="w3"),
        _workload("w4", "opaque function against other systems", "peers", program="w4"),
        _workload("tags", "five posts in a row against other systems", "peers", program="tags"),
        _workload("fraud", "fraud against other systems", "peers", program="fraud")),
    "papers": (
        _figure("parallelism-6", "Schneider et al., Figure 6: scalability", "scaling"),
        _figure("parallelism-8-order", "Schneider et al., Figure 8: what order costs", "order"),
        _figure("parallelism-8-epochs", "Schneider et al., Figure 8: epochs", "epochs",
                part="epochs"),
        _figure("parallelism-8-selectivity", "Schneider et al., Figure 8: selectivity", "epochs",
                part="selectivity"),
        _figure("parallelism-12", "Schneider et al., Figure 12: applications", "applications",
                group="regions"),
        _figure("multicores-8", "Prasaad et al., Figure 8: heuristics", "scheduling"),
        _figure("multicores-9-10", "Prasaad et al., Figures 9 and 10: uneven keys, latency",
                "skew"),
        _figure("multicores-11", "Prasaad et al., Figure 11: queues on pipelines", "switches",
                switch="queue"),
        _figure("multicores-12", "Prasaad et al., Figure 12: reordering of light tuples",
                "reordering", program="light"),
        _figure("multicores-13", "Prasaad et al., Figure 13: reordering of many outputs",
                "reordering", program="selective"),
        _figure("multicores-14", "Prasaad et al., Figure 14: reordering on pipelines",
                "switches", switch="reorder"),
        _figure("synchronization-4-8", "Kallas et al., Figures 4 and 8, Table 1: applications",
                "applications", group="synchronization"),
        _figure("synchronization-6", "Kallas et al., Figure 6: latency at rising rates",
                "loaded"),
        _figure("river-20-placement", "Soulé et al., Figure 20 (a, b): Linear Road and FM radio",
                "applications", group="placement"),
        _figure("river-20-fission", "Soulé et al., Figure 20 (c, d): query log analyzers",
                "applications", group="fission"),
        _figure("river-calibration", "Soulé et al.: Sawzall on Spark against PySpark",
                "calibration"),
        _figure("river-21", "Soulé et al., Figure 21: shared variables", "sharing")),
}
DEFAULT = ("core", "multicore")


def chosen(suites: tuple[str, ...], only: tuple[str, ...]) -> dict[str, list[Workload]]:
    """The workloads of the named suites, or those named of them; a `UsageError` for others."""
    for suite in suites:
        if suite not in SUITES:
            raise UsageError(f"there is no suite '{suite}'", help=did_you_mean(suite, SUITES))
    names = [workload.name for suite in suites for workload in SUITES[suite]]
    for name in only:
        if name not in names:
            raise UsageError(f"there is no workload '{name}' in {', '.join(suites)}",
                             help=did_you_mean(name, names))
    return {suite: found for suite in suites
            if (found := [w for w in SUITES[suite] if not only or w.name in only])}
