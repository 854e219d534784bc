"""What a stream reads: pipes, so many rows and no more, rows that are malformed, odd files."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError, UsageError
from anabranch.engine.run import execute
from anabranch.engine.spark.stream.pipes import Pipe, as_folder, whole_rows
from anabranch.io.csv.dialect import Dialect
from anabranch.io.csv.files import CsvSource
from anabranch.ir.types import STR
from anabranch.runtime.options import RunOptions
from engines.spark.streams import NEW, arrive, parts, sequential, streamed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


class Word(ab.Record):
    k: int
    text: str


class Count(ab.State):
    n: int = 0


@ab.operator(by="k")
def counted(state: Count, t: Word):
    state.n += len(t.text)
    yield Word(state.n, t.text)


HEADER = "k,text"


def rows(file: int, count: int = 30) -> list[str]:
    return [f"{(file + n * n) % 5},{'x' * (n % 7 + 1)}" for n in range(count)]


def from_stdin(folder) -> ab.Stream:
    return ab.read_stdin(Word).apply(counted).aggregate(
        ab.tumbling(count=4), n=ab.count(), top=ab.max("k")).write_csv(folder / "out", name="out")


def from_folder(folder) -> ab.Stream:
    return ab.read_csv(folder / "in", Word).apply(counted).aggregate(
        ab.tumbling(count=4), n=ab.count(), top=ab.max("k")).write_csv(folder / "out", name="out")


def given(monkeypatch, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in (HEADER, *lines))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("trigger", [None, "once"])
def test_standard_input_is_a_stream_until_it_ends(spark, tmp_path, monkeypatch, trigger):
    """With its end the operators are told of the end of the input."""
    given(monkeypatch, rows(0, 50))
    report = streamed(lambda: from_stdin(tmp_path), trigger=trigger,
                      checkpoint=str(tmp_path / "ck"))
    given(monkeypatch, rows(0, 50))
    assert parts(tmp_path / "out") == sequential(lambda: from_stdin(tmp_path), tmp_path / "out")
    assert (report.read, len(parts(tmp_path / "out"))) == ({"stdin": 50}, 13)


def test_what_came_through_a_pipe_is_there_after_an_interruption(tmp_path, monkeypatch):
    """Rows that were read are in files, each with the header, though nothing has looked at them."""
    given(monkeypatch, ['1,"two', 'lines"', "2,b"])
    (op,) = ab.read_stdin(Word).map(lambda t: t).write_csv(tmp_path / "o").graph().sources
    pipe = Pipe(op, str(tmp_path), 0.1)
    pipe.start()
    assert pipe.ended.wait(10)
    pipe.close()
    (file,) = tmp_path.glob("*.csv")
    assert file.read_text() == 'k,text\n1,"two\nlines"\n2,b\n'
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_named_pipe_is_read_as_it_comes(spark, tmp_path):
    """It goes on while the pipe is open, and no row waits for the next one."""
    os.mkfifo(tmp_path / "in.csv")
    seen: list[Word] = []

    def feed():
        with open(tmp_path / "in.csv", "w") as pipe:
            for group in range(3):
                pipe.writelines(f"{line}\n" for line in ([HEADER] if group == 0 else []))
                pipe.writelines(f"{line}\n" for line in rows(group, 5))
                pipe.flush()
                while len(seen) < 5 * (group + 1):
                    time.sleep(0.05)
    feeding = threading.Thread(target=feed, daemon=True)
    feeding.start()
    streamed(lambda: ab.read_csv(tmp_path / "in.csv", Word).apply(counted).for_each(seen.append),
             trigger=None)
    feeding.join()
    (tmp_path / "in.csv").unlink()
    for group in range(3):
        arrive(tmp_path / "all", group, rows(group, 5), HEADER)
    expected: list[Word] = []
    ab.read_csv(tmp_path / "all", Word).apply(counted).collect_into(expected).run(
        engine="sequential")
    assert seen == expected


def test_a_pipe_of_csv_of_other_habits_is_refused(tmp_path):
    source = CsvSource("in.csv", STR, dialect=Dialect(delimiter=";"))
    with pytest.raises(UsageError, match="a pipe of CSV with marks of its own"):
        as_folder(source, str(tmp_path))


def test_quotes_that_go_over_lines_stay_together():
    lines = ['a,"b', 'c","d""', '"', 'e,5" f', 'g,""', '"']
    cut = list(whole_rows([line.encode() for line in lines], quoted=True))
    assert [row.decode() for row in cut] == ['a,"b\nc","d""\n"\n', 'e,5" f\n', 'g,""\n', '"\n']
    assert len(list(whole_rows([line.encode() for line in lines], quoted=False))) == len(lines)


@pytest.mark.parametrize("limit", [0, 37, 90, 1000])
def test_so_many_rows_are_read_and_no_more(spark, tmp_path, limit):
    """Over all batches and runs; then the input has ended."""
    for number in range(3):
        arrive(tmp_path / "in", number, rows(number), HEADER)
    options = {"checkpoint": str(tmp_path / "ck"), "files_per_batch": 1, "limit": limit}
    streamed(lambda: from_folder(tmp_path), **options)
    report = streamed(lambda: from_folder(tmp_path), **options)
    whole = sequential(lambda: from_folder(tmp_path), tmp_path / "out", limit=limit)
    if limit > 90:
        assert whole[:len(parts(tmp_path / "out"))] == parts(tmp_path / "out")
    else:
        assert parts(tmp_path / "out") == whole
        assert "has ended" in report.note


def test_an_error_behind_the_last_row_is_not_met(spark, tmp_path):
    arrive(tmp_path / "in", 0, [*rows(0, 5), "many,x"], HEADER)
    assert streamed(lambda: from_folder(tmp_path), limit=5).read == {"in": 5}


def test_malformed_rows_are_kept_with_their_batch(spark, tmp_path):
    """As part files, each once, although the second batch fails at first."""
    def program():
        return ab.read_csv(tmp_path / "in", Word).map(
            lambda t: Word(100 // t.k, t.text)).write_csv(tmp_path / "out", name="out")
    arrive(tmp_path / "in", 0, ["1,a", "one,b", "2,c"], HEADER)
    arrive(tmp_path / "in", 1, ["x,d", "0,e"], HEADER)
    options = {"checkpoint": str(tmp_path / "ck"), "files_per_batch": 1,
               "on_error": f"divert={tmp_path / 'bad'}"}
    with pytest.raises(RunError, match="ZeroDivisionError"):
        streamed(program, **options)
    assert [json.loads(line)["raw"] for line in diverted(tmp_path / "bad")] == ["one,b"]
    arrive(tmp_path / "in", 1, ["x,d", "5,e"], HEADER)
    report = streamed(program, **options)
    assert [json.loads(line)["raw"] for line in diverted(tmp_path / "bad")] == ["one,b", "x,d"]
    assert parts(tmp_path / "out") == ["100,a", "50,c", "20,e"]
    assert report.bad_rows.startswith(f"1 malformed row diverted to {tmp_path / 'bad'}")


def diverted(folder) -> list[str]:
    return [line for file in sorted(folder.glob("part-*"))
            for line in file.read_text().splitlines()]


def test_files_with_odd_names_and_without_rows(spark, tmp_path):
    names = ["a b.csv", "a%20b.csv", "c#d.csv", "é,ü.csv", "x+y&z.CSV", "a:b.csv", "~'q'.csv"]
    (tmp_path / "in").mkdir()
    for number, name in enumerate(names):
        lines = [HEADER, *rows(number, number)]
        (tmp_path / "in" / name).write_text("".join(f"{line}\n" for line in lines))
        os.utime(tmp_path / "in" / name, (NEW, NEW))
    (tmp_path / "in" / ".hidden.csv").write_text("nonsense")
    (tmp_path / "in" / "notes.txt").write_text("nonsense")
    streamed(lambda: from_folder(tmp_path), until_idle=0.5)
    assert parts(tmp_path / "out") == sequential(lambda: from_folder(tmp_path), tmp_path / "out")


def test_names_that_spark_takes_for_patterns_are_refused(spark, tmp_path):
    """With such a file it would read others again."""
    arrive(tmp_path / "in", 0, rows(0), HEADER)
    streamed(lambda: from_folder(tmp_path), checkpoint=str(tmp_path / "ck"))
    (tmp_path / "in" / "[0-9]*.csv").write_text(f"{HEADER}\n1,a\n")
    with pytest.raises(RunError, match="Spark takes the name of a file for a pattern"):
        streamed(lambda: from_folder(tmp_path), checkpoint=str(tmp_path / "ck"))
    (tmp_path / "{in}").mkdir()
    with pytest.raises(UsageError, match="Spark takes the name of a folder for a pattern"):
        streamed(lambda: ab.read_csv(tmp_path / "{in}", Word).write_csv(tmp_path / "out"))


def test_a_folder_of_many_files_is_read_in_their_order(spark, tmp_path):
    for number in range(150):
        arrive(tmp_path / "in", number, rows(number, 3), HEADER)
    report = streamed(lambda: from_folder(tmp_path), until_idle=0.5, files_per_batch=60)
    assert (report.read, report.batches) == ({"in": 450}, 4)
    assert parts(tmp_path / "out") == sequential(lambda: from_folder(tmp_path), tmp_path / "out")


def test_a_stream_does_not_read_what_it_writes(spark, tmp_path):
    arrive(tmp_path / "in", 0, rows(0), HEADER)
    with pytest.raises(UsageError, match="writes into the folder that in reads"):
        streamed(lambda: ab.read_csv(tmp_path / "in", Word).map(lambda t: t).write_csv(
            tmp_path / "in", name="out"))


def test_two_sinks_have_two_folders(spark, tmp_path):
    arrive(tmp_path / "in", 0, rows(0), HEADER)

    def program(second: str):
        words = ab.read_csv(tmp_path / "in", Word).apply(counted)
        words.filter(lambda t: t.k > 9).write_csv(tmp_path / second, name="few")
        return words.write_csv(tmp_path / "out", name="out")
    with pytest.raises(UsageError, match="two sinks write"):
        streamed(lambda: program("out"))
    streamed(lambda: program("few"), checkpoint=str(tmp_path / "ck"))
    assert parts(tmp_path / "out") == sequential(lambda: program("few.csv"), tmp_path / "out")
    assert parts(tmp_path / "few") == (tmp_path / "few.csv").read_text().splitlines()[1:]


class Sold(ab.Record):
    shop: int
    w: str


def in_shops(folder: Path) -> None:
    for number, name in enumerate(["shop=10/part-0", "shop=9/part-10", "shop=9/part-9",
                                   "shop=9/_tmp", "other/part-0"]):
        path = folder / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"w\n{number}\n")


@pytest.mark.parametrize("stream", [False, True])
def test_folders_of_keys_are_read(spark, tmp_path, stream):
    in_shops(tmp_path / "in")

    def program():
        sold = ab.read_csv(tmp_path / "in", Sold, name="in").map(lambda t: t)
        return sold.write_csv(tmp_path / "out", name="out")
    if stream:
        report = streamed(program, checkpoint=str(tmp_path / "ck"))
    else:
        report = execute(compile_graph(program().graph()), RunOptions("spark", part_files=True))
    assert report.read == {"in": 3}
    assert parts(tmp_path / "out") == ["9,2", "9,1", "10,0"] == sequential(
        program, tmp_path / "out")
