"""The Spark engine: a plan as a batch job on a cluster, or on the cores of this machine.

Source tuples are cut into slices, as in the multicore engine, and a slice travels through Spark as
one element, in columns where its items have them. Stages without state run where the slice is. A
partitioned stage takes a slice apart by buckets of keys; every item then carries a stamp, by which
the pieces of a slice come together again. Stages that must see everything in order run in one task.
Stages are kernels where they compile. Folders of part files are written by the tasks, other sinks
by the driver. A line that Spark's own columns can express is no job of ours at all (dataframe.py).

    session/   what runs Spark         job/      a batch: the driver's side and the tasks
    stream/    the same job, batch by batch, each exactly once
    gang/      synchronization plans as tasks that run together

Depends on the physical plan, batches and kernels, and on PySpark, which is imported when a program
runs.
"""

from anabranch.engine.spark.run import execution, run, run_files
from anabranch.plan.physical.spark.capabilities import REFUSES

__all__ = ["REFUSES", "execution", "run", "run_files"]
