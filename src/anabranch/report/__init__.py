"""Reports of runs: what happened over time, recorded while a program runs, as a page afterwards.

    latencies.py, recording.py   taken down during a run; nothing of it runs without a report
    series.py                    the recording as lines over time
    chart.py, page.py            the lines as charts, each with its table, on one page

The engines depend on `recording` alone; the rest depends on the pictures of `explain`.
"""
