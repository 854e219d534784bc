"""Reports of runs: what happened over time, recorded meanwhile, as a page afterwards.

`runtime.recording` takes down what happens during a run; nothing of it runs without a report.

Depends on the pictures of `explain`.

    chart.py   Charts: a line or a few over time, with a table of the same figures
    page.py    The page of a run: totals, charts over time, and what was not measured
    series.py  A recording as lines over time, and the figures of operators at its end, in words
"""
