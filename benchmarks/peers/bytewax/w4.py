"""W4 with Bytewax."""

from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.files import CSVSource, FileSink
from bytewax.dataflow import Dataflow
from bytewax.testing import cluster_main


def opaque(seed):
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def run(source, target, workers):
    flow = Dataflow("jobs")
    jobs = op.input("jobs", flow, CSVSource(Path(source)))
    done = op.map("opaque", op.redistribute("spread", jobs),
                  lambda j: ("all", f"{j['at']},{opaque(int(j['seed']))}"))
    op.output("out", done, FileSink(Path(target)))
    cluster_main(flow, [], 0, worker_count_per_proc=workers)
