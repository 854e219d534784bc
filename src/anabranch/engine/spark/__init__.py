"""The Spark engine: a plan as a batch job on a cluster, or on the cores of this machine.

Source tuples are cut into slices, as in the multicore engine, and a slice travels through Spark as
one element. Stages without state run where the slice is. A partitioned stage takes a slice apart
by buckets of keys; every item then carries a stamp, by which the pieces of a slice come together
again. Stages that must see everything in order run in one task. The driver writes the sinks.

    java.py      which Java, and how it keeps quiet     session.py  a session, ours or the user's
    travel.py    programs and rows as bytes             pieces.py   pieces of slices, and stamps
    segments.py  stages between two shuffles            tasks.py    what runs on the executors
    buckets.py   a partitioned stage                    intake.py   the sources as slices
    job.py       segments as RDDs                       run.py      from sources to sinks

Depends on the plan, the stages and lines of the multicore engine, and PySpark, which is imported
when a program runs.
"""

from anabranch.engine.spark.run import execution, run, run_files

__all__ = ["execution", "run", "run_files"]
