"""The page of a run: what each engine measured is on it, and what it did not is said."""

from __future__ import annotations

import re

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError, UsageError
from anabranch.explain.picture.style import width_of
from anabranch.report.chart import chart
from anabranch.report.page import run_page
from anabranch.report.series import Series
from anabranch.runtime.options import RunReport
from anabranch.runtime.recording import Sample
from explain.chromium import measured

PLAN = compile_graph(ab.from_iterable([1], int).graph())
HOSTILE = "</text><script>alert(1)</script>"


def run(folder, engine: str, **options) -> str:
    stream = ab.from_iterable(range(3000), int, name="numbers").filter(lambda n: n % 3 > 0)
    stream.write_csv(folder / "out.csv")
    stream.run(engine=engine, report=str(folder / "run.html"), **options)
    return (folder / "run.html").read_text()


def headings(page: str) -> list[str]:
    return re.findall("<h2>(.*?)</h2>", page)


def test_the_multicore_engine_measures_it_all(tmp_path):
    page = run(tmp_path, "multicore", workers=2)
    assert headings(page)[:8] == [
        "Plan", "Totals", "Throughput of the sources and sinks", "Throughput of the operators",
        "Queue lengths", "Workers", "Reorder buffers", "Latency"]
    assert "<td class=\"number\">3,000</td>" in page
    assert "99% of the rows" in page
    assert (tmp_path / "out.csv").read_text().count("\n") == 2001


def test_the_sequential_engine_has_one_worker_and_nothing_to_reorder(tmp_path):
    page = run(tmp_path, "sequential")
    assert headings(page)[:7] == [
        "Plan", "Totals", "Throughput of the sources and sinks", "Throughput of the operators",
        "Queue lengths", "Workers", "Latency"]
    assert "No stage has a reorder buffer: nothing runs out of order." in page
    [figures] = re.findall(r"<td>filter</td>.*?</tr>", page, re.DOTALL)
    assert "3,000" in figures and "2,000" in figures and "0.67" in figures
    assert (tmp_path / "out.csv").read_text().count("\n") == 2001


def test_batches_are_shown_where_there_are_some():
    report = RunReport({"a": 30}, {"b": 3}, batches=3, seconds=3.0)
    samples = [Sample(float(i), {"a": 10 * i}, {"b": i}, i, (), {}) for i in range(4)]
    assert "Batches" in headings(run_page("spark", PLAN, report, samples))


def test_the_page_says_what_was_run_and_draws_it_with_its_figures(tmp_path):
    page = run(tmp_path, "sequential")
    drawn = re.findall(r"<text[^>]*>(.*?)</text>", page)
    assert drawn.count("3,000 rows") == 2 and "2,000 rows" in drawn
    assert any(text.startswith("busy ") and text.endswith(" a second") for text in drawn)
    assert "test_report_page.py</td>" in page and "<td>command</td>" in page


def test_labels_are_never_cut():
    for highest in (0.5, 8_513_696.0, 1e12):
        drawn = chart([Series("rows", [(0.0, 0.0), (1.0, highest)])], "rows a second", 1.0)
        [(x, label)] = re.findall(r'<text x="([0-9.]+)" y="18"[^>]*>(.*?)</text>', drawn)
        assert width_of(label, 11) < float(x)


def test_names_are_never_markup():
    report = RunReport({HOSTILE: 1}, {}, seconds=1.0)
    samples = [Sample(float(i), {HOSTILE: i}, {}, 0, (), {}) for i in range(4)]
    page = run_page("sequential", PLAN, report, samples)
    assert "<script" not in page and "&lt;script&gt;" in page


def test_every_chart_has_its_table(tmp_path):
    page = run(tmp_path, "multicore", workers=2)
    assert page.count("<figure") == page.count("as a table") == page.count("<polyline") - 2


def test_a_report_that_cannot_be_written_stops_the_run_before_it_begins(tmp_path):
    stream = ab.from_iterable([1], int).write_csv(tmp_path / "out.csv")
    with pytest.raises(RunError, match="there is no folder"):
        stream.run(report=str(tmp_path / "none" / "run.html"))
    assert not (tmp_path / "out.csv").exists()


def test_a_report_never_replaces_the_output(tmp_path):
    stream = ab.from_iterable([1], int).write_csv(tmp_path / "out.csv")
    with pytest.raises(UsageError, match="two sinks write"):
        stream.run(report=str(tmp_path / "out.csv"))


LINES = """
const measure = () => [...document.querySelectorAll('figure')].map(figure => {
  const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
    && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
  const svg = figure.querySelector('svg').getBoundingClientRect();
  return [...figure.querySelectorAll('svg text, svg polyline, svg path')]
    .every(e => inside(e.getBoundingClientRect(), svg)); });
"""


def test_charts_fit_in_a_browser(tmp_path):
    fits = measured(run(tmp_path, "multicore", workers=2), LINES, tmp_path)
    assert len(fits) >= 6 and all(fits)
