"""W3 with Bytewax."""

from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.files import CSVSource, FileSink
from bytewax.dataflow import Dataflow
from bytewax.testing import cluster_main


def between(total, event):
    total = total or 0
    if event["barrier"] == "1":
        return 0, [total]
    return total + int(event["value"]), []


def run(source, target, workers):
    flow = Dataflow("sums")
    events = op.input("events", flow, CSVSource(Path(source)))
    keyed = op.key_on("key", events, lambda e: "all")
    sums = op.stateful_flat_map("between", keyed, between)
    lines = op.map("line", sums, lambda s: (s[0], str(s[1])))
    op.output("out", lines, FileSink(Path(target)))
    cluster_main(flow, [], 0, worker_count_per_proc=workers)
