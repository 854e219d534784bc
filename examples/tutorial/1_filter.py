"""Lesson 1: rows, and which of them go on.

A record class is the schema: its annotations are the columns of the file. `filter` keeps the
rows for which its function is true, and the output comes in the order of the input, on any
engine:

    anabranch run 1_filter.py --engine sequential
    anabranch run 1_filter.py --engine multicore

Task: some payments are of the kind "test". Leave them out of the output, and keep those below
zero.
"""

from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Payment(ab.Record):
    account: int
    amount: float
    kind: str


payments = ab.read_csv(DATA / "payments.csv", Payment)
payments.filter(lambda p: p.amount < 0).write_stdout()
