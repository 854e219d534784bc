"""Reports of runs: what happened over time, recorded meanwhile, as a page afterwards.

    runtime/recording.py   taken down during a run; nothing of it runs without a report
    series.py              the recording as lines over time
    chart.py, page.py      the lines as charts, each with its table, on one page

Depends on the pictures of `explain`.
"""
