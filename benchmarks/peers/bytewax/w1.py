"""W1 with Bytewax."""

from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.files import CSVSource, FileSink
from bytewax.dataflow import Dataflow
from bytewax.testing import cluster_main


def running(total, payment):
    at, amount = payment
    total = (total or 0.0) + amount
    return total, (at, total)


def run(source, target, workers):
    flow = Dataflow("balances")
    payments = op.input("payments", flow, CSVSource(Path(source)))
    kept = op.filter("kept", payments, lambda p: float(p["amount"]) != 7.0)
    keyed = op.map("halved", kept, lambda p: (p["uid"], (p["at"], float(p["amount"]) * 0.5)))
    totals = op.stateful_map("running", keyed, running)
    lines = op.map("line", totals, lambda t: (t[0], f"{t[1][0]},{t[0]},{t[1][1]}"))
    op.output("balances", lines, FileSink(Path(target)))
    cluster_main(flow, [], 0, worker_count_per_proc=workers)
