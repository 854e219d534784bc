"""Complex events with Bytewax."""

from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.files import CSVSource, FileSink
from bytewax.dataflow import Dataflow
from bytewax.testing import cluster_main


def match(streak, post):
    last, length = streak or (None, 0)
    length = length + 1 if post["tag"] == last else 1
    found = [f"{post['at']},{post['author']},{post['tag']}"] if length >= 5 else []
    return (post["tag"], length), found


def run(source, target, workers):
    flow = Dataflow("tags")
    posts = op.input("posts", flow, CSVSource(Path(source)))
    keyed = op.key_on("author", posts, lambda p: p["author"])
    op.output("out", op.stateful_flat_map("match", keyed, match), FileSink(Path(target)))
    cluster_main(flow, [], 0, worker_count_per_proc=workers)
