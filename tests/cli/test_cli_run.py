"""`anabranch run`: output on standard output, everything else on standard error."""

from __future__ import annotations

import io
import json

from rich.console import Console

from anabranch.cli.progress import rows_read

ALERTS = "uid,amount\n1,40.0\n2,26.0\n"


def test_output_and_summary_are_apart(run):
    result = run("alerts.py")
    assert (result.exit_code, result.stdout) == (0, ALERTS)
    assert result.stderr.startswith("read 5 rows (entries), wrote 2 rows (alerts) in ")
    assert len(result.stderr.splitlines()) == 1


def test_parameters_are_set(run):
    result = run("alerts.py", "--set", "threshold=30")
    assert result.stdout == "uid,amount\n1,40.0\n"


def test_inputs_and_outputs_are_bound(run, folder):
    (folder / "other.jsonl").write_text('{"uid": 7, "amount": 99.0}\n')
    result = run("alerts.py", "--input", "entries=other.jsonl",
                 "--output", "alerts=out.jsonl")
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads((folder / "out.jsonl").read_text()) == {"uid": 7, "amount": 99.0}


def test_the_limit_counts_source_tuples(run):
    result = run("alerts.py", "--limit", "3", "--set", "threshold=0")
    assert len(result.stdout.splitlines()) == 1 + 3


def test_an_engine_that_is_named_is_used(anabranch):
    assert anabranch("run", "alerts.py", "--engine", "sequential").stdout == ALERTS


BAD = "uid,amount\n1,40\noops,1\n2,50\n"


def test_a_malformed_row_stops_the_run_with_its_place(run, folder):
    (folder / "entries.csv").write_text(BAD)
    result = run("alerts.py")
    assert result.exit_code == 1
    assert "entries.csv:3" in result.stderr
    assert "oops" in result.stderr


def test_malformed_rows_are_skipped_and_counted(run, folder):
    (folder / "entries.csv").write_text(BAD)
    result = run("alerts.py", "--on-error", "skip")
    assert (result.exit_code, result.stdout) == (0, "uid,amount\n1,40.0\n2,50.0\n")
    assert "1 malformed row skipped" in result.stderr


def test_malformed_rows_are_diverted(run, folder):
    (folder / "entries.csv").write_text(BAD)
    result = run("alerts.py", "--on-error", "divert=bad.jsonl")
    assert result.exit_code == 0
    assert "oops,1" in (folder / "bad.jsonl").read_text()


def test_no_progress_and_no_colour_without_a_terminal(run):
    result = run("alerts.py")
    assert "\x1b" not in result.output


def test_the_progress_display_shows_rows_and_is_cheap():
    screen = io.StringIO()
    with rows_read(["entries"], Console(file=screen, force_terminal=True, width=100)) as progress:
        for count in range(1, 20_001):
            progress({"entries": count})
    text = screen.getvalue()
    assert "entries" in text
    assert "rows/s" in text
    assert text.count("rows/s") < 50


def test_an_input_without_rows_gives_an_output_without_rows(run, folder):
    (folder / "entries.csv").write_text("uid,amount\n")
    result = run("alerts.py")
    assert (result.exit_code, result.stdout) == (0, "uid,amount\n")
    assert "read 0 rows (entries), wrote 0 rows (alerts)" in result.stderr


def test_an_unwritable_sink_is_a_failure_while_running(run):
    result = run("alerts.py", "--output", "alerts=no/such/folder.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no/such/folder.csv" in result.stderr


def test_stats_tell_what_each_stage_did(anabranch):
    result = anabranch("run", "alerts.py", "--engine", "multicore", "--stats")
    assert (result.exit_code, result.stdout) == (0, ALERTS)
    table, _, told = result.stderr.partition("\n\n")
    header, *stages = table.splitlines()[1:]
    assert header.split()[:3] == ["operator", "stage", "shared"]
    first, *_, last, written = map(str.split, told.splitlines())
    assert "order: " in told and last == ["stage", "4", "in", "order"]
    assert first == ["entries", "read", "in", "columns"]
    assert written == ["alerts", "written", "item", "by", "item,", "in", "order"]
    assert stages[-1].split()[0] == "alerts"
    as_json = anabranch("run", "alerts.py", "--engine", "multicore", "--stats", "json").stderr
    found = json.loads(as_json[as_json.index("{"):])
    assert found["read"] == {"entries": 5}
    assert found["stages"][-1]["rows_in"] == 2
    assert [each["name"] for each in found["stages"][-1]["each"]] == ["alerts"]


def test_run_with_a_report(anabranch, folder):
    result = anabranch("run", "alerts.py", "--engine", "multicore", "--report", "run.html")
    assert (result.exit_code, result.stdout) == (0, ALERTS)
    page = (folder / "run.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "on the multicore engine" in page


def test_a_knob_is_turned_by_name(anabranch):
    plain = anabranch("run", "alerts.py", "--engine", "multicore")
    tuned = anabranch("run", "alerts.py", "--engine", "multicore", "--tune", "heuristic=QST",
                      "--tune", "slice_size=1")
    assert (tuned.exit_code, tuned.stdout) == (0, plain.stdout)
    wrong = anabranch("run", "alerts.py", "--engine", "multicore", "--tune", "heuristic=XX")
    assert wrong.exit_code == 2 and "there is: CT, LP, ET, QST" in wrong.stderr


def shown_on_a_screen(told):
    screen = io.StringIO()
    with rows_read(["entries"], Console(file=screen, force_terminal=True, width=110)) as progress:
        told(progress)
        progress.bars.refresh()
    return screen.getvalue()


def test_progress_tells_the_share_and_what_is_left():
    def told(progress):
        progress.expect({"entries": 1_000})
        progress({"entries": 250})
    text = shown_on_a_screen(told)
    assert "25 %" in text and " left" in text


def test_progress_never_ends_before_the_run_does():
    """How many rows a file has is a guess."""
    def told(progress):
        progress.expect({"entries": 1_000})
        progress({"entries": 2_000})
    assert "99 %" in shown_on_a_screen(told)


def test_progress_tells_phases_and_their_tasks():
    def told(progress):
        progress.phase("starting Spark")
        progress.phase("computing", lambda: (3, 8))
    text = shown_on_a_screen(told)
    assert "starting Spark" in text and "3 of 8 tasks" in text


def test_tasks_that_cannot_be_counted_any_more_are_not_told():
    def told(progress):
        progress.phase("computing", lambda: 1 // 0)
    assert "computing" in shown_on_a_screen(told)


def test_the_display_goes_before_the_output_comes():
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=110)
    with rows_read(["entries"], console, until="reading") as progress:
        progress.phase("starting Spark")
        progress.phase("reading")
        assert not progress.bars.live.is_started


def test_the_header_is_no_row(anabranch):
    told = anabranch("explain", "alerts.py", "--engine", "multicore").stdout
    assert "5 rows are too few" in told
