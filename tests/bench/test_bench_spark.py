"""Workloads on Spark at a tiny size: ours agree with the sequential engine, also as a stream."""

import pytest

from anabranch.bench import environments
from anabranch.bench.answers import Verdict
from anabranch.bench.measurement import NotThere
from anabranch.bench.workloads import spark, spark_gang, spark_growth, spark_stateless, spark_w1
from bench.bench_support import small

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
    monkeypatch.setattr("anabranch.bench.scripted.python_of", found)
    return small(tmp_path)


def test_a_batch(setting):
    outcome = spark_stateless.measure(setting)
    assert [(m.contender, m.verdict) for m in outcome.measurements] == [
        ("anabranch", Verdict.IN_ORDER)]
    assert [(a.contender, a.reason) for a in outcome.absent] == [
        (spark_stateless.BY_HAND, "not installed")]
    assert outcome.goals[0].word == "not measured"


def test_a_stream_whose_state_grows(setting, monkeypatch):
    monkeypatch.setattr(spark_growth, "KNOWN", (50,))
    monkeypatch.setattr(spark_growth, "TOUCHED", 20)
    outcome = spark_growth.measure(setting)
    assert [m.verdict for m in outcome.measurements] == [Verdict.IN_ORDER]
    assert len(outcome.measurements[0].seconds) == spark_growth.MEASURED


def test_without_streams_the_reason_is_given(setting, monkeypatch):
    monkeypatch.setattr(spark_w1, "streams", lambda: False)
    monkeypatch.setattr(spark_w1, "on_spark", lambda name, *rest: spark.missing(name, "no Spark"))
    outcome = spark_w1.measure(setting)
    assert ("anabranch", spark.NO_STREAMING) in [(a.contender, a.reason) for a in outcome.absent]
    assert not outcome.measurements


def test_a_gang(setting):
    outcome = spark_gang.measure(setting)
    assert [(m.contender, m.verdict) for m in outcome.measurements] == [
        (spark_gang.MULTICORE, Verdict.IN_ORDER), (spark_gang.SPARK, Verdict.IN_ORDER)]
