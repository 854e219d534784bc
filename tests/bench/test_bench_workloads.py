"""Every workload runs at a tiny size; ours agree with the sequential engine and with the peers."""

from dataclasses import replace
from importlib import import_module
from subprocess import CompletedProcess

import pytest

from bench.bench_support import small
from benchmarks import environments
from benchmarks.answers import Verdict
from benchmarks.measurement import NotThere, outcome_of
from benchmarks.papers import prasaad
from benchmarks.papers.comparison import NOTHING
from benchmarks.runner import faults
from benchmarks.suites import FAMILIES, SUITES, chosen
from benchmarks.workloads.files import peers

IN_ENGINE = ("order", "skew", "latency", "scheduling")
PIPELINES = "benchmarks.workloads.engine.pipelines.PIPELINES"
TINY = {"order": {"MULTIPLICATIONS": (1, 100), "SAMPLE": 50, "TURNS": 1},
        "skew": {"WIDTHS": (2.0, 0.1), "COSTS": (1_000,), "WORKERS": 4}}
# What is run from elsewhere as well, or takes long to start.
ELSEWHERE = {("schneider", "figure-6"), ("prasaad", "figure-8"), ("prasaad", "figures-9-10"),
             ("soule", "calibration")}
FIGURES = [(suite, workload.name) for suite in FAMILIES["papers"] for workload in SUITES[suite]
           if (suite, workload.name) not in ELSEWHERE]


@pytest.fixture
def setting(tmp_path, monkeypatch):
    """Inputs are made anew; environments of peers that are installed are found all the same."""
    installed = environments.cache("peers")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(environments, "cache", lambda *parts: installed)
    return small(tmp_path)


def measured(name, setting, monkeypatch, **constants):
    module = import_module(f"benchmarks.workloads.{name}")
    for constant, value in constants.items():
        monkeypatch.setattr(module, constant, value)
    return module.measure(setting)


def without_missing_peers(monkeypatch):
    """A peer that would have to be installed first is not there in tests."""
    real = environments.python_of

    def found(peer, tell=None):
        if not environments.is_installed(peer):
            raise NotThere("not installed")
        return real(peer)
    monkeypatch.setattr("benchmarks.processes.python_of", found)


@pytest.fixture
def one_pipeline(monkeypatch):
    monkeypatch.setattr(PIPELINES, {"Q1": "SL PS PS SF"})


@pytest.mark.parametrize("part", ["applications", "pages", "rates", "heartbeats"])
def test_synchronization(part, setting, monkeypatch):
    module = import_module("benchmarks.workloads.engine.synchronization")
    monkeypatch.setattr(module, "HEARTBEATS", (1, 10))
    outcome = module.measure(replace(setting, scale=0.001), part)
    assert outcome.measurements and not outcome.absent
    assert all(found.verdict is Verdict.IN_ORDER for found in outcome.measurements)
    assert bool(outcome.plots) == (part != "pages")


@pytest.mark.parametrize("suite, name", FIGURES)
def test_figures_of_papers(suite, name, setting, one_pipeline, monkeypatch):
    monkeypatch.setattr("benchmarks.workloads.engine.order.MULTIPLICATIONS", (1,))
    outcome = outcome_of(chosen((suite,), (name,))[suite][0], setting)
    assert outcome.measurements and not faults(outcome) and not outcome.absent
    assert outcome.plots and outcome.beside
    assert all(NOTHING not in line.ours for line in outcome.beside), outcome.beside


def test_cliffs(setting, monkeypatch):
    outcome = measured("files.cliffs", setting, monkeypatch, COMPILED={}, FILES=3)
    assert not faults(outcome) and not outcome.absent
    cases = {case: [m for m in outcome.measurements if m.case == case]
             for case in ("W1 from csv", "W1 from parquet", "W1 changed")}
    assert len(outcome.goals) == sum(len(found) - 1 for found in cases.values()) > 40


@pytest.mark.parametrize("name", IN_ENGINE)
def test_inside_the_engine(name, setting, one_pipeline, monkeypatch):
    outcome = measured(f"engine.{name}", setting, monkeypatch, **TINY.get(name, {}))
    assert not faults(outcome) and not outcome.absent
    assert all(len(m.seconds) == 1 for m in outcome.measurements)
    assert outcome.plots or outcome.goals
    beside = {"skew": prasaad.skew, "scheduling": prasaad.heuristics}.get(name, lambda _: [])
    assert all(NOTHING not in line.ours for line in beside(outcome))


@pytest.mark.parametrize("change, verdict", [
    (lambda out: [*out[1::-1], *out[2:]], "not in order"), (lambda out: out[1:], "wrong")])
def test_an_engine_that_errs_is_caught(setting, one_pipeline, monkeypatch, change, verdict):
    from benchmarks.workloads.engine import work as engine

    real = engine.multicore.run

    def broken(plan, items, emit, **knobs):
        out = []
        real(plan, items, lambda op, item: out.append((op, item)), **knobs)
        for op, item in change(out):
            emit(op, item)
    monkeypatch.setattr(engine.multicore, "run", broken)
    outcome = measured("engine.scheduling", setting, monkeypatch)
    assert [m.verdict.value for m in outcome.measurements] == [verdict] * 4
    assert len(faults(outcome)) == 4 and all(goal.reached is None for goal in outcome.goals)


@pytest.mark.parametrize("program", ["w3", "tags", "fraud"])
def test_programs_against_peers(program, setting, monkeypatch):
    without_missing_peers(monkeypatch)
    slow = [peer for peer in peers.PEERS if peer.system in ("pyspark", "pyflink")]
    monkeypatch.setattr(peers, "PEERS", tuple(p for p in peers.PEERS if p not in slow))
    outcome = peers.measure(setting, program)
    assert all(m.verdict.is_right and m.rows == 500 for m in outcome.measurements)
    assert {"anabranch", "loop"} <= {m.contender for m in outcome.measurements}, outcome.absent


@pytest.mark.parametrize("name", ["w1", "w2", "w3", "w4"])
def test_from_file_to_file(name, setting, monkeypatch):
    without_missing_peers(monkeypatch)
    outcome = outcome_of(chosen(("multicore",), (name,))["multicore"][0], setting)
    assert not faults(outcome)
    seen = {m.contender: m.verdict for m in outcome.measurements}
    assert any(m.ours for m in outcome.measurements), outcome.absent
    assert all(verdict.is_right for verdict in seen.values())
    loops = [verdict for name, verdict in seen.items() if "loop" in name]
    assert loops == [Verdict.IN_ORDER]


def test_a_peer_that_errs_is_caught(setting, tmp_path, monkeypatch):
    programs = tmp_path / "peers" / "polars"
    programs.mkdir(parents=True)
    (programs / "w3.py").write_text(
        "def run(source, target, **options):\n"
        "    with open(target, 'w') as out:\n"
        "        out.write('total\\n1\\n2\\n')\n")
    monkeypatch.setattr("benchmarks.processes.PEERS", tmp_path / "peers")
    monkeypatch.setattr("benchmarks.processes.python_of",
                        lambda peer, tell=None: environments.python_of("loop"))
    outcome = measured("files.w3", setting, monkeypatch)
    verdicts = {m.contender: m.verdict for m in outcome.measurements}
    assert verdicts == {"anabranch": Verdict.IN_ORDER, "polars": Verdict.WRONG}
    assert outcome.goals[0].word == "not measured"
    assert [a.contender for a in outcome.absent] == ["loop"]


def test_what_cannot_be_installed_is_named(tmp_path, monkeypatch):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "requirements.txt").write_text("no-such-library==1\n")
    monkeypatch.setattr(environments, "PEERS", tmp_path)
    monkeypatch.setattr(environments, "cache", lambda *parts: tmp_path)
    said = "WARNING: slow\nERROR: No matching distribution found\n\nnotice: try again\n"
    monkeypatch.setattr(environments.subprocess, "run", lambda command, **how: CompletedProcess(
        command, 1, "", said))
    with pytest.raises(NotThere) as raised:
        environments.python_of("broken")
    assert str(raised.value) == "cannot be installed: ERROR: No matching distribution found"
    assert not environments.is_installed("broken")


def test_compiling_is_measured(setting, monkeypatch):
    outcome = measured("engine.compiling", setting, monkeypatch)
    assert [m.contender for m in outcome.measurements] == ["build", "compile"]
    assert not faults(outcome)


def test_scaling_uses_the_script(setting, monkeypatch):
    outcome = measured("engine.scaling", replace(setting, scale=0.0005), monkeypatch,
                       COSTS={20.0: 1.0}, COUNTS=(1, 2))
    assert not faults(outcome)
    assert {m.case.partition(",")[0] for m in outcome.measurements} >= {
        "stateless", "keyed", "shuffle"}


def test_every_workload_of_every_suite_can_be_loaded():
    for workloads in SUITES.values():
        assert len({w.name for w in workloads}) == len(workloads)
        for workload in workloads:
            [module] = workload.measure.args
            assert callable(import_module(f"benchmarks.workloads.{module}").measure)
