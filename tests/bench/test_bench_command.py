"""The command: what it writes, what it keeps, and how it ends."""

import importlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from anabranch.cli import commands
from bench.bench_support import RIGHT, SWAPPED, answering
from benchmarks import command, suites
from benchmarks.measurement import NotThere, Outcome, Plot, Workload
from benchmarks.report import readme as summaries
from benchmarks.runner import at_least, compared

ROOT = Path(__file__).parents[2]


def workload(name, *answers):
    def measure(setting):
        found = compared("case", [answering("ours", *answers)], RIGHT, 3, setting)
        plot = Plot(name, "Points", "x", "y", {"ours": [(1, 2.0), (10, 3.0)]}, log=True)
        return found.joined(Outcome(goals=[at_least("speed", 2.0, 1.0)], plots=[plot],
                                    notes=["a note"]))
    return Workload(name, f"the title of {name}", measure)


def missing(setting):
    raise NotThere("no such machine")


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """`bench("--only", "good")` with a suite of its own."""
    monkeypatch.chdir(tmp_path)
    made = (workload("good", RIGHT), workload("lost", SWAPPED), Workload("gone", "t", missing))
    monkeypatch.setattr(suites, "SUITES", {"own": made})
    monkeypatch.setattr(command, "SUITES", {"own": made})

    def run(*arguments):
        return CliRunner().invoke(commands, ["bench", "--suite", "own", *arguments])
    return run


def read(name="own.json"):
    with open(f"benchmarks/results/{name}") as file:
        return file.read()


def test_results_are_written_in_every_form(bench, tmp_path):
    done = bench("--only", "good")
    assert done.exit_code == 0 and "the title of good" in done.stdout and "reached" in done.stdout
    entry = json.loads(read())["workloads"]["good"]
    assert entry["measurements"][0]["verdict"] == "in order"
    assert len(entry["measurements"][0]["seconds"]) == 3
    assert {"cores", "commit", "versions", "load"} <= set(entry["machine"])
    assert "| case | ours | 3.00 | 0 % | 1.00 | in order |" in read("own.md")
    assert (tmp_path / "benchmarks/results/own-good.png").stat().st_size > 1000


def test_a_lost_order_of_ours_ends_in_an_error(bench):
    done = bench("--only", "lost")
    assert done.exit_code == 1
    assert "own lost, case, ours: not in order" in done.stderr
    assert json.loads(read())["workloads"]["lost"]["measurements"][0]["verdict"] == "not in order"


def test_results_of_other_workloads_stay(bench):
    bench("--only", "gone")
    bench("--only", "good")
    found = json.loads(read())["workloads"]
    assert list(found) == ["good", "gone"]
    assert found["gone"]["absent"][0]["reason"] == "no such machine"
    assert "Not there: gone (all): no such machine" in read("own.md")


def test_summaries_are_kept_between_their_markers(bench, tmp_path, monkeypatch):
    readme, page = tmp_path / "README.md", tmp_path / "docs" / "benchmarks.md"
    page.parent.mkdir()
    readme.write_text("<!-- bench highlights -->\n<!-- /bench -->\n")
    page.write_text("before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n")
    monkeypatch.setattr(summaries, "HIGHLIGHTS", {("own good", "speed"): "as fast as light"})
    assert bench("--only", "good", "--readme").exit_code == 0
    assert "| as fast as light | 2 times |" in readme.read_text()
    text = page.read_text()
    assert text.startswith("before\n<!-- bench -->\n| workload |") and "old" not in text
    assert f"| own good | speed | at least 1 times | 2 times | {os.cpu_count()} | reached |" in text
    assert text.endswith("<!-- /bench -->\nafter\n")


def test_a_document_can_hold_all_measurements_of_a_suite(bench, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("".join(
        f"<!-- bench {name} -->\n<!-- /bench -->\n" for name in ("own", "other")))
    bench("--only", "gone")
    assert bench("--only", "good", "--readme", "page.md").exit_code == 0
    first, _, second = page.read_text().partition("<!-- /bench -->")
    assert "| the title of good | ours | 3.00 | 0 % | 1.00 | in order |" in first
    assert "- gone is not there in *t*: no such machine" in first
    assert "Nothing was measured yet." in second and "Nothing" not in first


@pytest.fixture
def two_machines(bench, tmp_path):
    """Results of this machine, and in a folder those of one with 16 cores, which has measured a
    goal that is not measured here."""
    bench("--only", "good")
    ours = tmp_path / "benchmarks/results/own.json"
    found = json.loads(ours.read_text())
    entry = found["workloads"]["good"]
    entry["machine"] |= {"cores": 16, "commit": "1234567"}
    entry["goals"].append(at_least("many workers", 12.0, 9.0).__dict__)
    (ours.parent / "many").mkdir()
    (ours.parent / "many" / "own.json").write_text(json.dumps(found))
    entry["machine"] |= {"cores": 2, "commit": "abcdefg"}
    entry["goals"][-1] |= {"measured": "", "reached": None}
    ours.write_text(json.dumps(found))
    return ours.parent


def test_what_other_machines_measured_stands_beside(bench, two_machines, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- bench -->\n<!-- /bench -->\n"
                      "<!-- bench own good -->\n<!-- /bench -->\n")
    assert bench("--no-run", "--readme", "page.md").exit_code == 0
    goals, alone = page.read_text().split("<!-- /bench -->")[:2]
    assert goals.count("| own good | speed |") == 2 and goals.count("many workers") == 1
    assert "| many workers | at least 9 times | 12 times | 16 | reached |" in goals
    assert "commit abcdefg; 16 cores" in goals and "commit 1234567." in goals
    assert alone.count("| case | ours | 3.00 |") == 2 and alone.count("Measured on") == 2


def test_goals_of_shared_work_stand_once(bench, monkeypatch, tmp_path):
    [good, *_] = suites.SUITES["own"]
    both = {"own": (good,), "paper": (replace(good, name="figure"),)}
    monkeypatch.setattr(suites, "SUITES", both)
    monkeypatch.setattr(command, "SUITES", both)
    page = tmp_path / "page.md"
    page.write_text("<!-- bench -->\n<!-- /bench -->\n")
    assert bench("--suite", "paper", "--readme", "page.md").exit_code == 0
    assert "| own good | speed |" in page.read_text() and "figure" not in page.read_text()


def test_without_a_run_pages_are_written_for_all_machines(bench, two_machines):
    (two_machines / "own.md").unlink()
    done = bench("--no-run")
    assert done.exit_code == 0 and "the title of good" not in done.stdout
    assert "commit abcdefg" in (two_machines / "own.md").read_text()
    assert "commit 1234567" in (two_machines / "many" / "own.md").read_text()
    assert (two_machines / "many" / "own-good.png").stat().st_size > 1000


@pytest.mark.parametrize("arguments, said", [
    (["--only", "goood"], "did you mean 'good'?"), (["--workers", "two"], "numbers, such as 1,2"),
    (["--readme", "--only", "good"], "has no place for the summary")])
def test_mistakes(bench, arguments, said):
    done = bench(*arguments)
    assert done.exit_code == 2 and said in done.stderr


def test_medians_are_of_at_least_three(bench):
    assert bench("--repeat", "2").exit_code == 2


def test_results_of_another_form_are_not_overwritten(bench, tmp_path):
    bench("--only", "good")
    (tmp_path / "benchmarks/results/own.json").write_text('{"schema": 0}')
    done = bench("--only", "good")
    assert done.exit_code == 1 and "another form" in done.stderr
    assert read() == '{"schema": 0}'


def test_the_list_names_every_workload():
    done = CliRunner().invoke(commands, ["bench", "--list"])
    for suite, workloads in suites.SUITES.items():
        assert suite in done.stdout
        assert all(w.title in done.stdout for w in workloads)


def test_the_door_says_where_the_benchmarks_are_when_they_are_not_beside(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.import_module("anabranch.cli.bench"), "ROOT", tmp_path)
    done = CliRunner().invoke(commands, ["bench", "--list"])
    assert done.exit_code == 2 and "not installed with the package" in done.stderr
    assert "make bench" in done.stderr


def test_the_door_and_the_module_are_one_command():
    def said(*command):
        return subprocess.run([sys.executable, "-m", *command, "--list"], cwd=ROOT,
                              capture_output=True, text=True, check=True).stdout
    assert said("benchmarks") == said("anabranch", "bench") != ""


def test_the_package_starts_without_the_benchmarks():
    text = "import sys, anabranch.cli; print('benchmarks' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True,
                          check=True)
    assert done.stdout == "False\n"
