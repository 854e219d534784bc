"""Rows that come out of order, in a job on Spark."""

from __future__ import annotations

import pytest

from engines import test_lateness as cases

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.mark.usefixtures("spark")
def test_rows_leave_in_order_late_ones_apart_and_windows_together(monkeypatch):
    monkeypatch.setitem(cases.ENGINES, "spark", {"engine": "spark"})
    readings = cases.source()
    programs = [readings.apply(cases.counted), readings.late, cases.totals(readings)]
    expected, told = cases.run(programs, "sequential")
    found, report = cases.run(programs, "spark")
    assert found == expected and report.bad_rows == told.bad_rows
