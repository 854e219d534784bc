"""Fraud with Bytewax: one key for all, as its state is by key."""

from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.files import CSVSource, FileSink
from bytewax.dataflow import Dataflow
from bytewax.testing import cluster_main


def watched(model, event):
    total, suspect = model or (0, -1)
    value = int(event["value"])
    if event["rule"] == "1":
        return (0, (total + value) % 1000), [f"{event['at']},0,{total}"]
    found = [f"{event['at']},1,{value}"] if value % 1000 == suspect else []
    return (total + value, suspect), found


def run(source, target, workers):
    flow = Dataflow("fraud")
    events = op.input("events", flow, CSVSource(Path(source)))
    keyed = op.key_on("all", events, lambda e: "all")
    op.output("out", op.stateful_flat_map("watched", keyed, watched), FileSink(Path(target)))
    cluster_main(flow, [], 0, worker_count_per_proc=workers)
