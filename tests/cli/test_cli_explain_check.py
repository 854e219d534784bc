"""`anabranch explain` and `anabranch check` on real programs."""

from __future__ import annotations

import json


def test_explain_shows_the_operators_and_the_regions(anabranch):
    result = anabranch("explain", "alerts.py")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("2 of 2 operators can run in parallel, in ")
    assert "<= 1 (declared)" in result.stdout
    assert "hash(uid)" in result.stdout
    assert "csv entries.csv (Entry)" in result.stdout


def test_explain_says_why_not_with_the_line(anabranch, folder):
    text = (folder / "alerts.py").read_text().replace('by="uid", ', "")
    (folder / "alerts.py").write_text(text)
    result = anabranch("explain", "alerts.py")
    [reason] = [line for line in result.stdout.splitlines() if line.startswith("  running  state")]
    assert "unpartitioned" in reason
    assert "alerts.py:1" in reason


def test_explain_as_json(anabranch):
    data = json.loads(anabranch("explain", "alerts.py", "--format", "json").stdout)
    assert [op["name"] for op in data["operators"]] == ["entries", "filter", "running", "alerts"]
    assert data["operators"][2]["state"]["keys"] == [["uid"]]


def test_explain_runs_nothing(anabranch, folder):
    (folder / "entries.csv").unlink()
    assert anabranch("explain", "alerts.py").exit_code == 0


def test_ends_are_where_the_options_say(anabranch, folder):
    """What is proved of a source depends on where it reads: a file can be read from any position.
    """
    (folder / "other.csv").write_text((folder / "entries.csv").read_text())
    for engine in ((), ("--engine", "multicore"), ("--engine", "sequential")):
        shown = anabranch("explain", "alerts.py", "--input", "entries=other.csv",
                          "--output", "alerts=out.csv", *engine).stdout
        assert "csv other.csv (Entry)" in shown and "csv out.csv" in shown
        assert "parallel source" in shown
        piped = anabranch("explain", "alerts.py", "--input", "entries=-", *engine).stdout
        assert "standard input" in piped and "parallel source" not in piped


def test_explain_takes_what_runs_take(anabranch, folder):
    """What a run is asked for and changes its plan is told, also a page about it."""
    (folder / "odd.py").write_text(
        "import anabranch as ab\nclass N(ab.Record):\n    n: int\n"
        'ab.read_csv("n.csv", N).filter(lambda r: r.n % 2 == 1).write_csv("odd.csv")\n')
    (folder / "n.csv").write_text("n\n1\n2\n")
    loop = anabranch("explain", "odd.py", "--engine", "sequential").stdout
    page = anabranch("explain", "odd.py", "--engine", "sequential", "--report", "r.html").stdout
    assert "one Python loop over columns" in loop and "one Python loop" not in page
    parts = anabranch("explain", "alerts.py", "--engine", "spark", "--output", "alerts=out/").stdout
    single = anabranch("explain", "alerts.py", "--engine", "spark", "--output", "alerts=out/",
                       "--single-file").stdout
    assert "written by the executors" in parts and "written by the driver" in single


WINDOWS = """
import anabranch as ab

class Reading(ab.Record):
    ts: int
    key: int

class Seen(ab.State):
    n: int = 0

@ab.operator(by="key")
def counted(state: Seen, r: Reading):
    state.n += 1
    yield state.n

@counted.at_end
def told(state: Seen):
    yield state.n

readings = ab.read_csv("readings/", Reading)
readings.aggregate(ab.tumbling(time=10, on="ts"), by="key", n=ab.count(),
                   name="one").write_csv("a/")
readings.aggregate(ab.tumbling(time=10, on="ts", late="drop", partial=False), n=ab.count(),
                   name="two").write_csv("b/")
readings.aggregate(ab.tumbling(count=3), n=ab.count(), name="three").write_csv("c/")
readings.apply(counted).write_csv("d/")
"""

ENDS = "the input ends (--until-idle, --limit, or pipes that are closed)"

NOTES = [
    ("one", "a window is emitted when a row of the same key comes that lies beyond it, so that of "
          f"a key that falls silent waits; one that is still open is emitted when {ENDS}"),
    ("one", "a row that comes when its window has been emitted stops the stream; with --on-error "
          "skip or --on-error divert=FOLDER the same checkpoint goes on without it"),
    ("two", "a window is emitted when a row comes that lies beyond it; one that is still open is "
          f"dropped when {ENDS}"),
    ("two", "a row that comes when its window has been emitted is dropped"),
    ("three", f"a window is emitted when it is full; one that is not is emitted when {ENDS}"),
    ("counted", f"what it gives at the end comes when {ENDS}"),
]


def test_explain_says_what_a_stream_waits_for(anabranch, folder):
    (folder / "windows.py").write_text(WINDOWS)
    told = json.loads(anabranch("explain", "windows.py", "--stream", "--format", "json").stdout)
    assert [(note["operator"], note["note"]) for note in told["stream"]] == NOTES
    assert [note["span"]["line"] for note in told["stream"]] == [21, 21, 23, 23, 25, 26]
    text = anabranch("explain", "windows.py", "--stream").stdout
    assert "as a stream\n" in text and "a key that falls silent" in " ".join(text.split())
    assert "as a stream" not in anabranch("explain", "windows.py").stdout


def test_a_stream_is_not_drawn(anabranch):
    result = anabranch("explain", "alerts.py", "--stream", "--format", "svg")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: what a stream does is not shown as svg\n")


def test_a_stream_without_windows(anabranch):
    text = anabranch("explain", "alerts.py", "--stream").stdout
    assert text.endswith("as a stream\n  every operator  gives what it gives at once\n")


def test_check_lists_what_holds(anabranch):
    result = anabranch("check", "alerts.py")
    assert result.exit_code == 0
    [line] = [x for x in result.stdout.splitlines() if "selectivity <= 1 (declared)" in x]
    assert line.rstrip().endswith("holds on 4 tuples")
    assert "none broken" in result.stdout


def test_check_finds_a_broken_declaration(anabranch, folder):
    text = (folder / "alerts.py").read_text().replace("selectivity=(0, 1)", "selectivity=1")
    (folder / "alerts.py").write_text(text)
    result = anabranch("check", "alerts.py")
    assert result.exit_code == 1
    assert "broken by Entry(uid=1, amount=10.0)" in result.stdout
    assert "error: running is declared to be 'selectivity = 1', and is not" in result.stdout
    assert "--> alerts.py:" in result.stdout
    assert "= expected: exactly 1 output for each tuple" in result.stdout


def test_check_leaves_late_rows_out_when_asked_to(anabranch, folder):
    (folder / "windows.py").write_text(WINDOWS)
    (folder / "late.csv").write_text("ts,key\n1,1\n12,1\n2,1\n13,1\n")
    assert "an item comes late" in anabranch("check", "windows.py", "--input",
                                             "readings=late.csv").stderr
    result = anabranch("check", "windows.py", "--input", "readings=late.csv", "--on-error", "skip")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "none broken" in result.stdout


def test_check_takes_a_sample_of_another_input(anabranch, folder):
    (folder / "one.csv").write_text("uid,amount\n1,1.0\n2,2.0\n")
    result = anabranch("check", "alerts.py", "--input", "entries=one.csv", "--limit", "1")
    assert "holds on 1 tuple" in result.stdout


MANY = """\
import anabranch as ab

class Entry(ab.Record):
    ts: float
    uid: int
    amount: float

def entry(i):
    return Entry(float(i), i % 5, float(i * 7 % 11))

xs = ab.generate(entry, 60, to=Entry, time="ts", name="xs")
ys = ab.generate(entry, 40, to=Entry, time="ts", name="ys")
both = xs.union(ys, on="ts")
both.aggregate(ab.sliding(count=4, step=2), by="uid", total=ab.sum("amount")).write_csv("a.csv")
both.aggregate(ab.tumbling(time=10.0, on="ts"), by="uid", n=ab.count()).write_csv("b.csv")
xs.join(ys, by="uid", keep=ab.recent(count=2), into=lambda x, y: x.amount + y.amount) \\
    .write_jsonl("c.jsonl")
both.deduplicate(by="uid").write_csv("d.csv")
both.sort("amount", ab.tumbling(count=10)).write_csv("e.csv")
ab.barrier(xs, ys, into=lambda x, y: x.ts - y.ts).write_jsonl("f.jsonl")
xs.loop(lambda s: s.map(lambda t: t.replace(amount=t.amount - 4))
                   .split(lambda t: t.amount <= 0)).write_csv("g.csv")
"""


def test_no_inferred_fact_of_any_kind_of_operator_is_broken(anabranch, folder):
    (folder / "many.py").write_text(MANY)
    result = anabranch("check", "many.py")
    assert result.exit_code == 0, result.output
    assert "none broken" in result.stdout
    assert not list(folder.glob("*.jsonl"))


def test_every_line_of_an_explanation_fits(anabranch, folder, monkeypatch):
    (folder / "many.py").write_text(MANY)
    monkeypatch.setenv("COLUMNS", "64")
    result = anabranch("explain", "many.py")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 64
    assert "loop ↺" in result.stdout


def test_check_leaves_malformed_rows_out_when_asked(anabranch, folder):
    with (folder / "entries.csv").open("a") as file:
        file.write("no,such,row\n")
    assert anabranch("check", "alerts.py").exit_code == 1
    assert anabranch("check", "alerts.py", "--on-error", "skip").exit_code == 0


def test_explain_as_a_drawing_or_a_page_in_a_file(anabranch, folder):
    for format, begins in (("svg", "<svg "), ("html", "<!DOCTYPE html>"), ("json", "{"),
                           ("text", "2 of 2 operators")):
        result = anabranch("explain", "alerts.py", "--format", format, "--to", f"plan.{format}")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        assert (folder / f"plan.{format}").read_text().startswith(begins)
    assert anabranch("explain", "alerts.py", "--format", "svg").stdout.startswith("<svg ")


def test_explain_refuses_a_file_that_cannot_be_written(anabranch):
    result = anabranch("explain", "alerts.py", "--to", "nowhere/plan.txt")
    assert result.exit_code == 1
    assert "there is no folder 'nowhere'" in result.stderr
