"""A run that would write what it reads, or one file twice, is refused before anything is opened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import anabranch as ab
from anabranch.io.files.output import WholeFile
from anabranch.io.files.sinks import WholeFolder
from anabranch.io.rows import BadRows

PROGRAM = """\
import anabranch as ab

class Row(ab.Record):
    k: int

rows = ab.read_csv("in.csv", Row)
kept = rows.filter(lambda t: t.k > 1)
kept.write_csv("out.csv", name="out")
"""
ROWS = "k\n1\n2\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(PROGRAM)
    (tmp_path / "in.csv").write_text(ROWS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "in.csv").write_text(ROWS)
    (tmp_path / "soft.csv").symlink_to("in.csv")
    os.link("in.csv", "hard.csv")
    (tmp_path / "other").symlink_to("folder")
    return tmp_path


def run(*arguments, engine="sequential", **given):
    return subprocess.run([sys.executable, "-m", "anabranch", "run", "p.py", "--engine", engine,
                           *arguments], capture_output=True, text=True, **given)


@pytest.mark.parametrize("engine", ["sequential", "multicore", "spark"])
def test_both_lines_are_shown(place, engine):
    done = run("--output", "out=./in.csv", engine=engine)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == """\
error: out writes the file that rows reads
  --> p.py:8:6
    |
  8 | kept.write_csv("out.csv", name="out")
    |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = came: ./in.csv
  = help: name another file
  and rows
  --> p.py:6:11
    |
  6 | rows = ab.read_csv("in.csv", Row)
    |           ^^^^^^^^^^^^^^^^^^^^^^^
"""
    assert Path("in.csv").read_text() == ROWS


class Row(ab.Record):
    k: int


REFUSED = [
    ("in.csv", "in.csv"), ("in.csv", "soft.csv"), ("soft.csv", "in.csv"), ("in.csv", "hard.csv"),
    ("in.csv", "folder/../in.csv"), ("folder", "folder/in.csv"), ("folder", "other/new.csv"),
    ("other", "folder/new.csv"), ("*.csv", "new.csv"), ("*.csv", "soft.csv"),
    ("**/*.csv", "folder/new.csv"), ("folder/in.csv", "folder/"), ("folder/in.csv", "other/"),
    ("folder", "folder/"), ("folder", "folder/k=1/"), ("f*/in.csv", "folder/"),
]


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("read, written", REFUSED)
def test_what_is_read_is_not_written(place, read, written, engine):
    stream = ab.read_csv(read, Row, name="rows").map(lambda t: t)
    stream.write_csv(os.path.abspath(written) + "/" * written.endswith("/"), name="out")
    with pytest.raises(ab.UsageError, match=r"out writes (the file|into the folder) that rows rea"):
        stream.run(engine=engine)
    assert Path("in.csv").read_text() == Path("folder/in.csv").read_text() == ROWS
    assert not [name for name in os.listdir(".") if name.endswith(".tmp")]


@pytest.mark.parametrize("written, read", [
    ("out.csv", ".out.csv.tmp"), ("out/", ".out.tmp/a.csv"), ("out/", ".out.tmp"),
    ("other/out.csv", "folder/.out.csv.tmp")])
def test_what_has_the_name_of_something_unfinished_is_not_destroyed(place, written, read):
    source = Path(read, "a.csv") if read == ".out.tmp" else Path(read)
    source.parent.mkdir(exist_ok=True)
    source.write_text(ROWS)
    kept = ab.read_csv(read, Row, name="rows").map(lambda t: t)
    kept.write_csv(written, name="out")
    with pytest.raises(ab.UsageError, match=r"out writes (the file|into the folder) that rows rea"):
        kept.run(engine="sequential")
    assert source.read_text() == ROWS


@pytest.mark.parametrize("read, written", [
    ("in.csv", "folder/out.csv"), ("folder", "out.csv"), ("in*.csv", "out.csv"),
    ("folder", "folder/_out.csv"), ("folder", "folder/out.jsonl"), ("folder", "folder/out/"),
    ("in.csv", "/dev/null"), ("folder/*.csv", "folder/out/x.csv")])
def test_what_lies_apart_is_written(place, read, written):
    (place / "folder" / "out").mkdir()
    stream = ab.read_csv(read, Row).map(lambda t: t)
    (stream.write_jsonl if written.endswith("jsonl") else stream.write_csv)(written)
    stream.run(engine="sequential")
    assert Path("in.csv").read_text() == ROWS


def test_standard_input_and_output_are_files_too(place):
    with open("in.csv") as given:
        done = run("--input", "rows=-", "--output", "out=in.csv", stdin=given)
    assert (done.returncode, "out writes the file that rows reads" in done.stderr) == (2, True)
    with open("in.csv", "a") as out:
        done = subprocess.run([sys.executable, "-m", "anabranch", "run", "p.py", "--engine",
                               "sequential", "--output", "out=-"], stdout=out,
                              stderr=subprocess.PIPE, text=True)
    assert (done.returncode, "out writes the file that rows reads" in done.stderr) == (2, True)
    assert Path("in.csv").read_text() == ROWS


@pytest.mark.parametrize("arguments, message", [
    (["--on-error", "divert=in.csv"], "--on-error writes the file that rows reads"),
    (["--on-error", "divert=out.csv"], "two sinks write out.csv: out and --on-error"),
    (["--report", "hard.csv"], "--report writes the file that rows reads"),
    (["--output", "out=p.py"], "out writes p.py, which is the program itself"),
])
def test_other_files_of_a_run(place, arguments, message):
    done = run(*arguments)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"error: {message}")
    assert (Path("in.csv").read_text(), Path("p.py").read_text()) == (ROWS, PROGRAM)


@pytest.mark.parametrize("one, other", [
    ("x.csv", "./x.csv"), ("in.csv", "soft.csv"), ("x/", "x/y.csv"), ("x/", "x/"),
    ("folder/x.csv", "other/x.csv"), ("x.csv", ".x.csv.tmp")])
def test_two_sinks_lie_apart(place, one, other):
    stream = ab.from_iterable([Row(1)], Row)
    stream.write_csv(one, name="one")
    stream.map(lambda t: t).write_csv(other, name="other")
    with pytest.raises(ab.UsageError) as refused:
        stream.run(engine="sequential")
    text = str(refused.value)
    assert ("one" in text and "other" in text) and text.count(" ^^^") == 2
    assert Path("in.csv").read_text() == ROWS


WRITERS = {"file": lambda: WholeFile("x.csv"), "folder": lambda: WholeFolder("x/"),
           "diverted": lambda: BadRows.parse("divert=x.csv").__enter__()}


@pytest.mark.parametrize("kind", WRITERS)
def test_one_run_at_a_time(place, kind):
    first = WRITERS[kind]()
    with pytest.raises(ab.RunError, match=rf"another run writes it \(pid {os.getpid()}\)"):
        WRITERS[kind]()
    first.abort()
    second = WRITERS[kind]()
    second.commit()
    WRITERS[kind]().abort()
    assert [name for name in os.listdir(".") if name.startswith(".")] == []
    assert os.path.exists("x.csv" if kind != "folder" else "x")


@pytest.mark.parametrize("kind", WRITERS)
def test_what_a_killed_run_left_is_taken_over(place, kind):
    if pid := os.fork():
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9
    else:
        WRITERS[kind]()
        os.kill(os.getpid(), 9)
    assert [name for name in os.listdir(".") if name.startswith(".")] != []
    WRITERS[kind]().commit()
    assert [name for name in os.listdir(".") if name.startswith(".")] == []


def test_a_folder_between_two_names_comes_back(place):
    folder = WholeFolder("x/")
    (Path(folder.temporary) / "part-00000.csv").write_text("old")
    folder.commit()
    os.rename("x", ".x.tmp.before")
    WholeFolder("x/").abort()
    assert Path("x/part-00000.csv").read_text() == "old"


def test_two_runs_at_once(place):
    Path("slow.py").write_text(PROGRAM.replace('ab.read_csv("in.csv", Row)',
                                               'ab.read_stdin(Row)'))
    slow = subprocess.Popen([sys.executable, "-m", "anabranch", "run", "slow.py", "--engine",
                             "sequential"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    while not os.path.exists(".out.csv.tmp"):
        assert slow.poll() is None
    refused = run()
    slow.communicate(ROWS.encode())
    assert (slow.returncode, refused.returncode) == (0, 1)
    assert refused.stderr == f"""\
error: cannot write 'out.csv': another run writes it (pid {slow.pid})
  --> p.py:8:6
    |
  8 | kept.write_csv("out.csv", name="out")
    |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = help: wait for its end, or name another file
"""


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_a_file_that_somebody_puts_into_the_folder_meanwhile_stays(tmp_path, monkeypatch, engine):
    """The folder is replaced at the end of the run, and only if nothing else is in it even then."""
    monkeypatch.chdir(tmp_path)
    rows = ab.from_iterable(range(3), int)
    rows.write_csv("x/", name="out").run(engine=engine)
    before = Path("x/part-00000.csv").read_bytes()

    def put(n):
        Path("x/of-somebody-else.csv").write_text("mine")
        return n + 1

    with pytest.raises(ab.RunError, match="it holds other files"):
        ab.from_iterable(range(3), int).map(put).write_csv("x/", name="out").run(engine=engine)
    assert sorted(os.listdir("x")) == ["of-somebody-else.csv", "part-00000.csv"]
    assert Path("x/part-00000.csv").read_bytes() == before and os.listdir() == ["x"]
