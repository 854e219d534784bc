"""Workloads on Spark at a tiny size: ours agree with the sequential engine, also as a stream."""

import pytest

from bench.bench_support import small
from benchmarks import environments
from benchmarks.answers import Verdict
from benchmarks.measurement import NotThere
from benchmarks.workloads.spark import contenders as spark
from benchmarks.workloads.spark import gang, growth, stateless, w1

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.xdist_group("spark")]


@pytest.fixture
def setting(tmp_path, monkeypatch):
    """Only our own programs run; those that need an environment are not there."""
    real = environments.python_of

    def found(system, tell=None):
        if system != "anabranch":
            raise NotThere("not installed")
        return real(system)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("benchmarks.processes.python_of", found)
    return small(tmp_path)


def test_a_batch(setting):
    outcome = stateless.measure(setting)
    assert [(m.contender, m.verdict) for m in outcome.measurements] == [
        ("anabranch", Verdict.IN_ORDER)]
    assert [(a.contender, a.reason) for a in outcome.absent] == [
        (stateless.BY_HAND, "not installed")]
    assert outcome.goals[0].word == "not measured"


def test_a_stream_whose_state_grows(setting, monkeypatch):
    monkeypatch.setattr(growth, "KNOWN", (50,))
    monkeypatch.setattr(growth, "TOUCHED", 20)
    outcome = growth.measure(setting)
    assert [m.verdict for m in outcome.measurements] == [Verdict.IN_ORDER]
    assert len(outcome.measurements[0].seconds) == growth.MEASURED


def test_without_streams_the_reason_is_given(setting, monkeypatch):
    monkeypatch.setattr(w1, "streams", lambda: False)
    monkeypatch.setattr(w1, "on_spark", lambda name, *rest: spark.missing(name, "no Spark"))
    outcome = w1.measure(setting)
    assert ("anabranch", spark.NO_STREAMING) in [(a.contender, a.reason) for a in outcome.absent]
    assert not outcome.measurements


def test_a_gang(setting):
    outcome = gang.measure(setting)
    assert [(m.contender, m.verdict) for m in outcome.measurements] == [
        (gang.MULTICORE, Verdict.IN_ORDER), (gang.SPARK, Verdict.IN_ORDER)]
