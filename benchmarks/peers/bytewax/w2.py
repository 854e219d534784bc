"""W2 with Bytewax."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.files import CSVSource, FileSink
from bytewax.dataflow import Dataflow
from bytewax.operators.windowing import EventClock, TumblingWindower, count_window
from bytewax.testing import cluster_main

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_of(entry):
    return EPOCH + timedelta(milliseconds=int(entry["ts"]))


def line(counted):
    uid, (window, n) = counted
    return uid, f"{uid},{window * 5000},{n}"


def run(source, target, workers):
    flow = Dataflow("busy")
    entries = op.input("entries", flow, CSVSource(Path(source)))
    clock = EventClock(time_of, wait_for_system_duration=timedelta(days=1))
    windows = TumblingWindower(length=timedelta(seconds=5), align_to=EPOCH)
    counts = count_window("count", entries, clock, windows, key=lambda e: e["uid"])
    busy = op.filter("busy", counts.down, lambda c: c[1][1] > 100)
    op.output("out", op.map("line", busy, line), FileSink(Path(target)))
    cluster_main(flow, [], 0, worker_count_per_proc=workers)
