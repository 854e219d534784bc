"""The suite of the languages, and the script that runs suites on machines without the command."""

import json
import sys
from dataclasses import replace

import pytest

from bench.bench_support import small
from benchmarks import data, elsewhere
from benchmarks.report import results
from benchmarks.standalone import streamit
from benchmarks.suites import chosen
from benchmarks.workloads.languages import radio


@pytest.fixture
def setting(tmp_path, monkeypatch):
    """Inputs are made anew, while kernels that are compiled stay so."""
    monkeypatch.setattr(data, "cache", lambda *parts: tmp_path)
    return small(tmp_path, scale=0.01)


@pytest.mark.parametrize("name, goals", [("radio", 3), ("lines", 1), ("windows", 4)])
def test_languages(name, goals, setting):
    [workload] = chosen(("languages",), (name,))["languages"]
    outcome = workload.measure(replace(setting, scale=0.01 if name == "radio" else 0.001))
    assert len(outcome.goals) == goals and not outcome.absent
    assert {m.verdict.value for m in outcome.measurements} <= {"in order"}


def test_numpy_that_hears_something_else_is_wrong(setting, monkeypatch):
    heard = streamit.in_numpy
    monkeypatch.setattr(streamit, "in_numpy", lambda samples: 1.1 * heard(samples))
    assert radio.measure(setting).of(radio.CASE, "numpy") is None


def test_results_of_machines_without_the_command_have_its_form(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["elsewhere.py", "--out", str(tmp_path), "--commit", "1234567",
                                      "--scale", "0.001", "--runs", "1", "core/compiling"])
    elsewhere.main()
    entry = results.read(tmp_path, "core")["compiling"]
    assert entry["machine"]["commit"] == "1234567" and results.outcome_of(entry).measurements
    assert "compiling 10 operators" in capsys.readouterr().out
    assert json.loads((tmp_path / "core.json").read_text())["schema"] == results.SCHEMA
