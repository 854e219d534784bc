"""Streams on Spark: programs over growing inputs, in batches, each exactly once.

Structured Streaming says which files belong to which batch. A batch is the job of the batch engine,
from one version of the state to the next. What it read, the state and the part files that it wrote
become valid together, with its manifest.

Depends on the batch job of the Spark engine, and PySpark.

    arrivals.py     Files that have arrived, and which of them the next batch reads
    batches.py      A stream at work: one batch after another, each of which happens once
    checkpoint.py   The checkpoint: a private folder from which an interrupted stream goes on
    fingerprint.py  What a program is, in lines of text by operator
    log.py          The logs that Spark keeps of a query: which files belong to which batch
    migration.py    What a program has changed since its checkpoint was made, and other names
    pages.py        The state of a stage in pages: the touched keys of each batch, or every key
    pipes.py        Standard input and named pipes as folders that grow
    query.py        What drives a stream: a query of Structured Streaming, or a watch of our own
    run.py          Runs a plan as a stream, from the user's options to the report
    settings.py     What the user asks of a stream, and what a stream cannot be asked for
    sinks.py        The sinks of a stream: folders of part files, and what cannot be taken back
    sources.py      What a batch reads: files that have arrived, and rows that waited
    state.py        The state of stages between batches: in Python workers, and in checkpoint files
    upgrade.py      A checkpoint that goes on as a program that has changed
"""

from anabranch.plan.logical.plan import Plan
from anabranch.runtime.options import RunOptions, RunReport


def run_stream(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    """Runs the plan over what its sources have and will have."""
    # PySpark is imported only when a program runs.
    from anabranch.engine.spark.stream.run import run_stream as run

    return run(plan, options, report)
