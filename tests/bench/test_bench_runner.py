"""A wrong answer or a lost order never goes through, in whichever run it happens."""

import os
from dataclasses import replace

import pytest

from bench.bench_support import RIGHT, SWAPPED, WRONG, answering, small
from benchmarks import machine
from benchmarks.answers import Verdict, judged
from benchmarks.measurement import Contender, NotThere, Outcome, Run, outcome_of
from benchmarks.report.figures import rows
from benchmarks.runner import at_least, at_most, compared, faults, ratio
from benchmarks.suites import chosen


def compare(tmp_path, *contenders, repeat=3):
    return compared("case", contenders, RIGHT, 3, small(tmp_path, repeat=repeat))


@pytest.mark.parametrize("answers, verdict", [
    ([RIGHT], Verdict.IN_ORDER), ([SWAPPED], Verdict.OUT_OF_ORDER), ([WRONG], Verdict.WRONG),
    ([RIGHT, SWAPPED, RIGHT], Verdict.OUT_OF_ORDER), ([SWAPPED, WRONG, RIGHT], Verdict.WRONG)])
def test_the_worst_run_decides(tmp_path, answers, verdict):
    outcome = compare(tmp_path, answering("ours", *answers))
    assert [m.verdict for m in outcome.measurements] == [verdict]
    assert bool(faults(outcome)) == (verdict is not Verdict.IN_ORDER)


def test_missing_and_surplus_rows_and_columns_are_wrong():
    surplus = RIGHT.append_column("m", RIGHT["n"])
    for answer in (RIGHT.slice(1), surplus, RIGHT.rename_columns(["m"])):
        assert judged(answer, RIGHT) is Verdict.WRONG


def test_only_right_answers_count_in_ratios(tmp_path):
    outcome = compare(tmp_path, answering("ours", RIGHT), answering("lost", SWAPPED, seconds=4.0),
                      answering("wrong", WRONG, seconds=0.1, ours=False))
    assert ratio(outcome, "case", "ours", "lost") == 4.0
    assert ratio(outcome, "case", "ours", "wrong") is None
    assert ratio(outcome, "case", "lost", "ours") is None


def test_contenders_with_fewer_rows_are_compared_by_rows_a_second(tmp_path):
    fewer = replace(answering("fewer", RIGHT[:1], seconds=0.5), rows=1)
    outcome = compare(tmp_path, answering("all", RIGHT, seconds=1.0), fewer)
    assert [(m.rows, m.verdict) for m in outcome.measurements] == [
        (3, Verdict.IN_ORDER), (1, Verdict.IN_ORDER)]
    assert ratio(outcome, "case", "all", "fewer") == 1.5
    assert [line[4] for line in rows(outcome)] == ["1.00", "0.67"]


def test_turns_alternate(tmp_path):
    order = []

    def noting(name):
        def run():
            order.append(name)
            return Run(1.0, RIGHT)
        return Contender(name, run)
    compare(tmp_path, noting("a"), noting("b"))
    assert order == ["a", "b", "b", "a", "a", "b"]


@pytest.mark.parametrize("seconds, told", [(0.01, False), (3.0, True)])
def test_what_the_host_takes_is_told_where_it_counts(tmp_path, monkeypatch, seconds, told):
    counts = iter([5.0, 5.0 + seconds])
    monkeypatch.setattr(machine, "stolen", lambda: next(counts))
    outcome = compare(tmp_path, answering("ours", RIGHT, seconds=1.0))
    assert ["took 3.0 s" in note for note in outcome.notes] == [True] * told


@pytest.mark.parametrize("text, seconds", [
    ("cpu  5 0 3 4 1 0 3 1166 0 0\ncpu0 1", 1166), ("cpu  5 0 3", 0), ("", 0), (None, 0)])
def test_what_the_host_takes_is_read_where_it_is_told(tmp_path, text, seconds):
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)
    assert machine.stolen(stat) == seconds / os.sysconf("SC_CLK_TCK")


def test_who_is_not_there_is_named_and_not_run_again(tmp_path):
    def refuse():
        raise NotThere("no such library")
    outcome = compare(tmp_path, answering("ours", RIGHT), Contender("peer", refuse))
    assert [(a.contender, a.reason) for a in outcome.absent] == [("peer", "no such library")]
    assert [m.contender for m in outcome.measurements] == ["ours"]


def test_goals_say_what_was_reached():
    assert at_least("speed", 1.3, 1.2).reached and at_most("time", 1.0, 1.2).reached
    assert at_least("speed", 1.1, 1.2).word == "not reached"
    assert at_most("time", None, 1.2).word == "not measured"


def test_work_that_suites_share_is_measured_once(tmp_path):
    [scaling], [figure] = chosen(("multicore",), ("scaling",))["multicore"], \
        chosen(("schneider",), ("figure-6",))["schneider"]
    assert scaling.measure is figure.measure
    measured = Outcome(notes=["measured"])
    found = outcome_of(figure, small(tmp_path), {scaling.measure: measured})
    assert found.notes == ["measured"] and found.beside and not measured.beside
