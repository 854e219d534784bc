"""`anabranch.testing`: what `check` finds, and what it says of it."""

import re
import subprocess
import sys

import pytest
from hypothesis import strategies as st

import anabranch as ab
from anabranch.testing import Clock, Mismatch, check, checking, rows
from anabranch.testing.comparison import compare, same

HERE = ("sequential", "multicore")


class Payment(ab.Record):
    account: int
    amount: float
    kind: str = "card"


class Balance(ab.State):
    total: float = 0.0


@ab.operator(by="account")
def overdrawn(state: Balance, p: Payment):
    state.total += p.amount
    if state.total < 0:
        yield p.account, round(state.total, 2)


def alerts(payments):
    return payments.filter(lambda p: p.kind != "test").apply(overdrawn)


GIVEN = [Payment(1, 20.0), Payment(2, -5.0), Payment(1, -30.0), Payment(2, 9.0, "test"),
         Payment(2, 1.0)]
EXPECTED = [(2, -5.0), (1, -10.0), (2, -4.0)]

PROGRAM = """
import anabranch as ab

class Payment(ab.Record):
    account: int
    amount: float

payments = ab.read_csv("nowhere.csv", Payment)
least = ab.param("least", 2.0)
payments.filter(lambda p: p.amount > least).write_stdout(name="large")
payments.filter(lambda p: p.amount < 0).write_csv("below.csv")
"""


@pytest.mark.parametrize("given", [
    GIVEN, [tuple(row) for row in GIVEN], [row._asdict() for row in GIVEN]])
def test_a_stream_with_rows_of_each_kind(given):
    stream = alerts(ab.from_iterable([], Payment, name="payments"))
    check(stream, given={"payments": given}, expect=EXPECTED, engines=HERE, examples=3)


def test_an_operator_and_a_function():
    check(overdrawn, given=GIVEN[:3], expect=EXPECTED[:2], engines=HERE, examples=3)
    check(alerts, given=GIVEN, expect=EXPECTED, engines=HERE, examples=3)


def test_a_program_file_with_two_sinks(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    check(tmp_path / "program.py", given=[(1, 2.5), (2, -1.0), (3, 4.0)], engines=HERE, examples=2,
          expect={"large": [(3, 4.0)], "below": [(2, -1.0)]}, parameters={"least": "3"})
    (tmp_path / "some.csv").write_text("account,amount\n7,-7\n")
    check(tmp_path / "program.py", given=tmp_path / "some.csv", engines=HERE, examples=2,
          expect={"below": [(7, -7.0)]})
    assert not (tmp_path / "below.csv").exists()


def test_rows_that_hypothesis_draws():
    seen = set()

    def noted(payments):
        return alerts(payments.filter(lambda p: seen.add((p.account, p.kind)) or True))
    check(noted, given=rows(Payment, kind=st.sampled_from(["card", "test"])),
          engines=HERE, examples=10)
    assert len({account for account, _ in seen}) > 2 and {kind for _, kind in seen} == {
        "card", "test"}


def test_the_first_difference_is_shown_with_what_is_around_it():
    with pytest.raises(Mismatch) as failed:
        check(alerts, given=GIVEN, expect=[(2, -5.0), (1, -10.5), (2, -4.0)])
    assert str(failed.value) == """\
'collected' differs at item 2 of 3: the sequential engine
  expected (1, -10.5)
  came     (1, -10.0)

  item  expected      came
     1  (2, -5.0)     (2, -5.0)
  >  2  (1, -10.5)    (1, -10.0)
     3  (2, -4.0)     (2, -4.0)"""


def test_an_engine_that_loses_order_is_found(monkeypatch):
    """The engine is broken here; the smallest way that shows it is told."""
    outputs = checking._Case.outputs

    def reversed_in_slices(case, way, given):
        found = outputs(case, way, given)
        step = -1 if way.slice_size == 2 else 1
        return {name: items[::step] for name, items in found.items()}
    monkeypatch.setattr(checking._Case, "outputs", reversed_in_slices)
    with pytest.raises(Mismatch, match=re.escape(
            "the multicore engine (1 worker, slices of 2), next to the sequential engine")):
        check(alerts, given=GIVEN, expect=EXPECTED, engines=HERE, examples=60)


def test_failures_are_compared_too():
    def inverse(payments):
        return payments.map(lambda p: 1 / p.amount)
    with pytest.raises(ab.RunError, match="division by zero"):
        check(inverse, given=[Payment(1, 0.0)], expect=[], engines=HERE)


@pytest.mark.parametrize("call, said", [
    (lambda: check(alerts, given=GIVEN, expect={"alrts": []}), "no sink is called 'alrts'"),
    (lambda: check(3), "nothing can be checked here"),
    (lambda: check(alerts, given=rows(Payment), expect=[]), "is not known beforehand"),
    (lambda: rows(int), "is no record class"),
    (lambda: rows(Payment, knid=st.none()), "has no field 'knid'")])
def test_what_makes_no_sense_is_refused(call, said):
    with pytest.raises(ab.UsageError, match=re.escape(said)) as refused:
        call()
    assert refused.value.where.file == __file__


def test_a_nan_is_itself_and_true_is_not_one():
    nan = float("nan")
    assert same((1, nan, [nan]), (1, float("nan"), [nan]))
    assert not same((True,), (1,)) and not same([1], [1, 2])
    compare("out", [1, 2], [2, 1], "unordered", ordered=False)


def test_a_clock_is_moved():
    clock = Clock()
    clock.advance(2.5)
    assert clock() == 2.5
    with pytest.raises(ValueError, match="does not go back"):
        clock.advance(-1)

    class Tick(ab.Record):
        ts: int
    seen = [(tick.ts, clock()) for tick in clock.live([Tick(1), Tick(7), Tick(5)], "ts")]
    assert seen == [(1, 2.5), (7, 7), (5, 7)]


TEST = """
from anabranch.testing import check
import anabranch as ab
class Row(ab.Record):
    a: int
def test_golden(anabranch_engines, anabranch_clock):
    assert anabranch_engines == ("sequential", "multicore") and anabranch_clock() == 0
    check(lambda rows: rows.map(lambda r: r.replace(a=r.a * {factor})), given=[Row(1), Row(2)],
          expect="golden/doubled.csv", engines=anabranch_engines, examples=2)
"""


def test_the_plug_in(tmp_path):
    def tested(*options):
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:anabranch",
             "-p", "anabranch.testing.plugin", "--anabranch-engines", "sequential,multicore",
             *options], cwd=tmp_path, capture_output=True, text=True)
    (tmp_path / "test_it.py").write_text(TEST.replace("{factor}", "2"))
    assert "there is no golden file golden/doubled.csv" in tested().stdout
    assert tested("--anabranch-update-golden").returncode == 0
    assert (tmp_path / "golden" / "doubled.csv").read_text() == "a\n2\n4\n"
    (tmp_path / "test_it.py").write_text(TEST.replace("{factor}", "3"))
    failed = tested()
    assert "expected '2'" in failed.stdout and "next to golden/doubled.csv" in failed.stdout
