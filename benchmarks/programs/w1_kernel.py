"""W1 from Arrow to Arrow in memory: its kernel alone.

A program has it like that when it is up already.
"""

import pyarrow as pa

import anabranch as ab
from anabranch.kernels import compile_stage
from benchmarks.programs.w1 import Payment, balances

SLICE = 1 << 20


def kernel():
    graph = balances(ab.from_iterable([], Payment)).graph()
    source, *inner, sink = graph.operators
    made = compile_stage(tuple(inner), graph.output_types(source)[0], graph.input_types(sink)[0])
    made.warm()
    return made


def load(source):
    table = pa.parquet.read_table(source).combine_chunks()
    return kernel(), table.to_batches(max_chunksize=SLICE)


def run(loaded, target, **options):
    made, batches = loaded
    state = made.start()
    return pa.Table.from_batches([made.run(state, batch)[0] for batch in batches])


def save(balances, target):
    pa.parquet.write_table(balances, target)
