"""Programs over folders that grow: the sequential engine's output, batch by batch."""

from __future__ import annotations

import os
import time

import pytest
from pyspark.sql import SparkSession

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import DataError, RunError, UsageError
from anabranch.engine.spark.kept import kept_by_stream
from anabranch.engine.spark.stream import pages
from anabranch.engine.spark.stream import state as volumes
from anabranch.engine.spark.stream.migration import differences, drop, rename
from anabranch.runtime.ends.binding import bound_graph
from anabranch.runtime.options import RunOptions
from engines.spark.streams import arrive, parts, sequential, streamed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


class Payment(ab.Record):
    account: int
    amount: float


class Balance(ab.State):
    total: float = 0.0
    last: list = []


class Total(ab.Record):
    account: int
    total: float


@ab.operator(by="account")
def running(state: Balance, p: Payment):
    state.total += p.amount
    state.last = [*state.last, p.amount][-2:]
    yield Total(p.account, state.total + sum(state.last))


class Sum(ab.State):
    total: float = 0.0


@ab.operator(by="account")
def summed(state: Sum, p: Payment):
    state.total += p.amount
    yield Total(p.account, state.total)


@ab.operator
def numbered(state: Balance, t: Total):
    state.total += 1
    yield Total(t.account, state.total * 1000 + t.total)


HEADER = "account,amount"


def rows(file: int, count: int = 40) -> list[str]:
    return [f"{(file * 7 + n * n) % 9},{(n * 13 + file) % 50 / 4}" for n in range(count)]


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        arrive(tmp_path / "in", number, rows(number), HEADER)
    return tmp_path


def balances(folder):
    payments = ab.read_csv(folder / "in", Payment)
    return payments.filter(lambda p: p.amount > 1).apply(running).write_csv(folder / "out")


def sums(folder):
    return ab.read_csv(folder / "in", Payment).apply(summed).write_csv(folder / "out")


def in_order(folder):
    totals = ab.read_csv(folder / "in", Payment).apply(running).apply(numbered)
    return totals.write_csv(folder / "out")


def windows(folder):
    counts = ab.read_csv(folder / "in", Payment).aggregate(
        ab.tumbling(count=7), by="account", n=ab.count(), total=ab.sum("amount"))
    return counts.deduplicate("total").write_csv(folder / "out")


def countdown(folder):
    def body(items):
        return items, items.filter(lambda t: t.total > 40).map(
            lambda t: Total(t.account, t.total / 2), to=Total)
    return ab.read_csv(folder / "in", Payment).apply(running).loop(body).write_csv(folder / "out")


PROGRAMS = [balances, sums, in_order, windows, countdown]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_batches_give_the_sequential_output(spark, folder, program):
    """In one batch, then in several runs over more files, and at last the end of the input."""
    options = {"checkpoint": str(folder / "ck"), "files_per_batch": 2}
    assert streamed(lambda: program(folder), **options).batches == 2
    for number in range(3, 6):
        arrive(folder / "in", number, rows(number), HEADER)
    streamed(lambda: program(folder), checkpoint=str(folder / "ck"))
    before = parts(folder / "out")
    report = streamed(lambda: program(folder), until_idle=0.5, checkpoint=str(folder / "ck"))
    assert sum(report.read.values()) == 0
    assert before == parts(folder / "out")[:len(before)]
    assert parts(folder / "out") == sequential(lambda: program(folder), folder / "out")


def test_an_ended_stream_does_nothing_more(spark, folder):
    notes = [streamed(lambda: windows(folder), until_idle=0.5, checkpoint=str(folder / "ck")).note
             for _ in range(2)]
    assert notes[0] == ""
    assert "has ended: nothing was done" in notes[1]
    assert parts(folder / "out") == sequential(lambda: windows(folder), folder / "out")


def test_the_checkpoint_is_private(spark, folder):
    streamed(lambda: balances(folder), checkpoint=str(folder / "ck"))
    assert os.stat(folder / "ck").st_mode & 0o777 == 0o700
    os.chmod(folder / "ck", 0o750)
    with pytest.raises(UsageError, match="others may use the folder of the checkpoint"):
        streamed(lambda: balances(folder), checkpoint=str(folder / "ck"))


def test_a_changed_function_goes_on_and_what_state_depends_on_is_refused(spark, folder):
    streamed(lambda: balances(folder), checkpoint=str(folder / "ck"))
    before = parts(folder / "out")
    rows = [row for file in (folder / "in").iterdir() for row in file.read_text().splitlines()[1:]]

    def changed(by="account"):
        @ab.operator(by=by)
        def running(state: Balance, p: Payment):
            state.total += 1000 * p.amount
            yield Total(p.account, state.total)
        payments = ab.read_csv(folder / "in", Payment)
        return payments.filter(lambda p: p.amount > 2).apply(running).write_csv(folder / "out")
    with pytest.raises(UsageError, match="running has changed") as caught:
        streamed(lambda: changed("amount"), checkpoint=str(folder / "ck"))
    assert "expected: by account: int" in str(caught.value)
    assert "came: by amount: float" in str(caught.value) and "--start-over" in str(caught.value)
    arrive(folder / "in", 3, ["1,2.0", "1,3.0"], HEADER)
    report = streamed(changed, checkpoint=str(folder / "ck"))
    assert report.note == "went on from the checkpoint with another filter, running"
    total = sum(float(row[2:]) for row in rows if row.startswith("1,") and float(row[2:]) > 1)
    assert parts(folder / "out")[len(before):] == [f"1,{total + 3000}"]


def test_a_stream_goes_on_with_other_fields_and_other_operators(spark, folder):
    """A field more and one less, a filter and an operator with a state of its own in front."""
    checkpoint = str(folder / "ck")
    streamed(lambda: balances(folder), checkpoint=checkpoint)
    before = parts(folder / "out")
    paid = [row.split(",") for file in (folder / "in").iterdir()
            for row in file.read_text().splitlines()[1:]]
    one = sum(float(amount) for account, amount in paid if account == "1" and float(amount) > 1)

    def changed(kind=int):
        fields = {"__annotations__": {"count": kind, "total": float}, "__module__": __name__}
        Later = type(ab.State)("Balance", (ab.State,), {**fields, "count": kind(7), "total": 0.0})

        @ab.operator(by="account")
        def running(state: Later, p: Payment):
            state.count += 1
            state.total += p.amount
            yield Total(p.account, state.total * 100 + state.count)

        @ab.operator(by="account")
        def third(state: Sum, p: Payment):
            state.total += 1
            if state.total % 3 == 0:
                yield p
        payments = ab.read_csv(folder / "in", Payment)
        return payments.filter(lambda p: p.amount < 1000).apply(third).apply(running).write_csv(
            folder / "out")
    arrive(folder / "in", 3, ["1,2.0", "1,3.0", "1,4.0"], HEADER)
    report = streamed(changed, checkpoint=checkpoint)
    assert report.note == (
        "went on from the checkpoint with another filter, running, Balance; new: third")
    assert parts(folder / "out")[len(before):] == [f"1,{(one + 4) * 100 + 8}"]
    refused = [[(each.operator, each.now) for each in asked(checkpoint, program)
                if not each.accepted]
               for program in (lambda: changed(float), lambda: balances(folder))]
    assert refused == [[("Balance", "count: float")], [("third", None)]]
    drop(checkpoint, ["third"])
    arrive(folder / "in", 4, ["1,5.0"], HEADER)
    report = streamed(lambda: balances(folder), checkpoint=checkpoint)
    assert report.note == ("went on from the checkpoint with another filter, running, Balance; "
                           "gone: third")
    assert parts(folder / "out")[len(before) + 1:] == [f"1,{one + 4 + 5 + 5}"]


def asked(checkpoint: str, program) -> list:
    """What a program would meet."""
    plan = bound_graph(compile_graph(program().graph()), RunOptions("spark"))
    return list(differences(checkpoint, plan.program))


def test_a_stream_runs_in_the_background(spark, folder):
    started = sums(folder).start(session=SparkSession(spark), checkpoint=str(folder / "ck"))
    deadline = time.monotonic() + 120
    while not started.last_progress["batches"] and time.monotonic() < deadline:
        assert not started.await_termination(0.1) and started.status in ("starting", "running")
    assert sum(started.last_progress["rows"].values()) == 120
    started.stop()
    assert (started.status, started.report.batches, started.exception()) == ("stopped", 1, None)
    assert parts(folder / "out") == sequential(lambda: sums(folder), folder / "out")
    failing = sums(folder).start(session=SparkSession(spark), checkpoint=str(folder / "in"))
    with pytest.raises(UsageError, match="writes into the folder that in reads"):
        failing.await_termination()
    assert failing.status == "failed"


def test_kept_state_is_shown_compared_and_renamed(spark, folder, capsys):
    checkpoint = str(folder / "ck")
    streamed(lambda: sums(folder), checkpoint=checkpoint)
    kept = {each.key: each.state for each in kept_by_stream(checkpoint)}
    last = dict(map(float, row.split(",")) for row in parts(folder / "out"))
    assert kept == {key: {"total": total} for key, total in last.items()}

    def renamed():
        return ab.read_csv(folder / "in", Payment).apply(summed, name="balance").write_csv(
            folder / "out")
    assert [(each.operator, each.accepted) for each in asked(checkpoint, renamed)] == [
        ("summed", False), ("balance", True)]
    rename(checkpoint, {"summed": "balance"})
    before = len(parts(folder / "out"))
    arrive(folder / "in", 3, ["1,2.0"], HEADER)
    streamed(renamed, checkpoint=checkpoint)
    assert parts(folder / "out")[before:] == [f"1,{last[1.0] + 2}"]


def test_part_files_of_another_stream_are_not_mixed(spark, folder):
    streamed(lambda: balances(folder))
    with pytest.raises(UsageError, match="holds part files of another stream"):
        streamed(lambda: balances(folder))
    streamed(lambda: balances(folder), start_over=True)
    assert parts(folder / "out") == sequential(lambda: balances(folder), folder / "out")


@ab.operator(by="account")
def fails(state: Balance, p: Payment):
    state.total += 10 / p.amount
    yield Total(p.account, state.total)


def test_a_failing_function_leaves_the_batch_undone(spark, folder):
    def program():
        return ab.read_csv(folder / "in", Payment).apply(fails).write_csv(folder / "out")
    (folder / "in" / "00000.csv").unlink()
    for number in (1, 2):
        arrive(folder / "in", number, ["1,2.0", "2,4.0"], HEADER)
    arrive(folder / "in", 3, ["1,2.5", "7,0.0"], HEADER)
    options = {"checkpoint": str(folder / "ck"), "files_per_batch": 1}
    with pytest.raises(RunError, match="fails raised ZeroDivisionError") as caught:
        streamed(program, **options)
    assert "Payment(account=7, amount=0.0)" in str(caught.value)
    assert "also when the input or a function has been corrected" in str(caught.value)
    assert "Py4J" not in str(caught.value)
    assert parts(folder / "out") == ["1,5.0", "2,2.5", "1,10.0", "2,5.0"]
    arrive(folder / "in", 3, ["1,2.5", "7,1.0"], HEADER)
    streamed(program, **options)
    assert parts(folder / "out")[4:] == ["1,14.0", "7,10.0"]


def test_malformed_rows_are_skipped_or_stop_the_stream(spark, folder):
    arrive(folder / "in", 3, ["1,2.0", "1,much", "1,3.0"], HEADER)
    options = {"checkpoint": str(folder / "ck"), "files_per_batch": 3}
    with pytest.raises(DataError, match="malformed row"):
        streamed(lambda: sums(folder), **options)
    report = streamed(lambda: sums(folder), **options, on_error="skip")
    assert report.bad_rows.startswith("1 malformed row skipped")
    assert len(parts(folder / "out")) == 122


class Quote(ab.Record):
    ts: int
    price: float


def test_timed_sources_wait_for_each_other(spark, tmp_path):
    """Rows that could still be overtaken are held back, also over a restart."""
    def program():
        left = ab.read_csv(tmp_path / "left", Quote, time="ts")
        right = ab.read_csv(tmp_path / "right", Quote, time="ts")
        return left.union(right, arrival=True).write_csv(tmp_path / "out")
    options = {"checkpoint": str(tmp_path / "ck")}
    arrive(tmp_path / "left", 0, ["1,1", "2,1", "5,1", "8,1"], "ts,price")
    arrive(tmp_path / "right", 0, ["2,2", "5,2"], "ts,price")
    streamed(program, **options)
    assert parts(tmp_path / "out") == ["1,1.0", "2,1.0", "2,2.0", "5,1.0", "5,2.0"]
    arrive(tmp_path / "right", 1, ["5,3", "9,2"], "ts,price")
    streamed(program, **options)
    assert parts(tmp_path / "out")[5:] == ["5,3.0", "8,1.0"]
    streamed(program, until_idle=0.5, **options)
    assert parts(tmp_path / "out") == sequential(program, tmp_path / "out")


def test_a_list_is_read_once_in_the_first_batch(spark, folder):
    seen: list = []

    def program():
        known = ab.from_iterable([Payment(100, 1.0)], Payment)
        stream = known.union(ab.read_csv(folder / "in", Payment), arrival=True)
        return stream.apply(running).for_each(seen.append, name="out")
    for _ in range(2):
        streamed(program, checkpoint=str(folder / "ck"), files_per_batch=2)
        arrive(folder / "in", 3, rows(3), HEADER)
    assert seen[0] == Total(100, 2.0)
    assert len(seen) == 161


@pytest.mark.parametrize("wrong, message", [
    ({"on_error": "divert="}, "on-error does not know this policy"),
    ({"single_file": True}, "either a single file or several"),
    ({"trigger": "5 apples"}, "the trigger is not understood"),
    ({"checkpoint": "s3://x"}, "takes a path of this machine")])
def test_what_a_stream_cannot_do_is_refused(spark, folder, wrong, message):
    with pytest.raises(UsageError, match=message):
        streamed(lambda: balances(folder), **{"trigger": "once"} | wrong)


def test_what_waits_for_the_end_of_a_stream_is_refused(spark, folder):
    def program():
        counts = ab.read_csv(str(folder / "in"), Payment).group_by("account").agg(n=ab.count())
        return counts.write_csv(folder / "out")
    with pytest.raises(UsageError, match="agg gives its results at the end") as caught:
        streamed(program, trigger="once")
    assert "--until-idle" in caught.value.help


def test_sources_that_cannot_be_a_stream_are_refused(spark, folder):
    def program(source):
        return source.map(lambda p: p).write_csv(folder / "out")
    with pytest.raises(UsageError, match="nothing in this program grows"):
        streamed(lambda: program(ab.from_iterable([1], int)))
    with pytest.raises(UsageError, match="two sources read standard input"):
        streamed(lambda: program(ab.read_stdin(Payment).union(
            ab.read_stdin(Payment, name="again"), arrival=True)))
    with pytest.raises(UsageError, match="there is no folder"):
        streamed(lambda: program(ab.read_csv(folder / "nowhere", Payment)))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_large_batches_run_in_columns_and_in_many_tasks(spark, folder, program):
    """First a small batch in rows, then large ones; a run that starts with a small one goes on."""
    options = {"checkpoint": str(folder / "ck"), "files_per_batch": 1}
    streamed(lambda: program(folder), **options)
    for number in range(3, 5):
        arrive(folder / "in", number, rows(number, 300), HEADER)
    large = {"small_batch": 0, "worth_kernels": 0, "worth_waiting": 0}
    streamed(lambda: program(folder), tune=large, **options)
    forms = {volumes.page_of(str(file), entry.place)[:1]
             for file in (folder / "ck" / "state").iterdir() for entry in volumes.kept(str(file))}
    assert pages.KERNEL in forms or program not in (sums, windows)
    arrive(folder / "in", 5, rows(5), HEADER)
    streamed(lambda: program(folder), until_idle=0.5, **options)
    assert parts(folder / "out") == sequential(lambda: program(folder), folder / "out")
