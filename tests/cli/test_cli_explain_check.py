"""`anabranch explain` and `anabranch check` on real programs."""

from __future__ import annotations

import json


def test_explain_shows_the_operators_and_the_regions(anabranch):
    result = anabranch("explain", "alerts.py")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("2 of 2 operators run in parallel, in ")
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


def test_check_takes_a_sample_of_another_input(anabranch, folder):
    (folder / "one.csv").write_text("uid,amount\n1,1.0\n2,2.0\n")
    result = anabranch("check", "alerts.py", "--input", "entries=one.csv", "--limit", "1")
    assert "holds on 1 tuple" in result.stdout
