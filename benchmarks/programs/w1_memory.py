"""W1 from Arrow to Arrow in memory."""

import pyarrow as pa

import anabranch as ab
from benchmarks.programs.w1 import Payment, balances


def load(source):
    return pa.parquet.read_table(source).combine_chunks()


def run(payments, target, **options):
    return balances(ab.from_arrow(payments, Payment)).to_arrow(**options)


def save(balances, target):
    pa.parquet.write_table(balances, target)
