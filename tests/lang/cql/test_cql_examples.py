"""The example programs run from the command line and give what they should."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from anabranch.cli import commands
from lang.cql.linear_road import reports, tolls
from lang.cql.test_cql_meaning import written

EXAMPLES = Path(__file__).parents[3] / "examples"


def run(*arguments: str, engine: str = "sequential"):
    return CliRunner().invoke(commands, ["run", "--engine", engine, *arguments])


@pytest.mark.parametrize("seed", range(3))
def test_linear_road(seed):
    positions = reports(vehicles=40, seconds=600, seed=seed)
    expected = tolls(positions)
    assert len(expected) > 20
    text = (EXAMPLES / "linear_road.cql").read_text()
    assert written(text, {"PosSpeedStr": positions}) == [expected]


def test_bargains():
    done = run(str(EXAMPLES / "bargains.cql"), "--input", f"quotes={EXAMPLES}/data/quotes.csv",
               "--input", f"history={EXAMPLES}/data/history.csv")
    assert (done.exit_code, done.stdout) == (
        0, "timestamp,ticker,ask,low\n1,IBM,119,119\n2,XYZ,35,35\n")


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_the_log_analyzer(engine, tmp_path):
    out = tmp_path / "origins.jsonl"
    done = run(str(EXAMPLES / "log_analyzer.cql"), "--output", f"queryOrigins={out}",
               "--input", f"queryLog={EXAMPLES}/data/query_log.csv", engine=engine)
    assert (done.exit_code, done.stdout) == (0, "")
    lines = out.read_text().splitlines()
    assert len(lines) == 11
    assert lines[0] == '{"timestamp": 0, "op": "+", "latitude": 52, "longitude": 13, "queries": 2}'


def test_another_time_attribute(tmp_path):
    (tmp_path / "p.cql").write_text("S := {int at, int a} stream; select a from S [now]")
    (tmp_path / "s.csv").write_text("a,at\n5,1\n6,2\n")
    done = run(str(tmp_path / "p.cql"), "--input", f"S={tmp_path}/s.csv", "--time", "S=at")
    assert (done.exit_code, done.stdout) == (
        0, "timestamp,op,a\n1,+,5\n2,-,5\n2,+,6\n")


@pytest.mark.parametrize("arguments, words", [
    (("--set", "a=1"), "a CQL program has no parameters"),
    (("--time", "T=a"), "there is no input 'T'"),
    ((), "the source 'S' has no data"),
])
def test_wrong_commands(tmp_path, arguments, words):
    (tmp_path / "p.cql").write_text("S := {int a} stream; select a from S")
    done = run(str(tmp_path / "p.cql"), *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr


def test_time_is_for_languages_that_do_not_name_it():
    done = run(str(EXAMPLES / "demo.py"), "--time", "a=b")
    assert done.exit_code == 2
    assert "--time is not for a '.py' program" in done.stderr
