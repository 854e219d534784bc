"""The Spark engine: a plan as a batch job on a cluster, or on this machine's cores.

Source tuples are cut into slices, as in the multicore engine, and a slice travels through Spark as
one element, in columns where its items have them. Stages without state run where the slice is. A
partitioned stage takes a slice apart by buckets of keys; every item then carries a stamp, by which
the pieces of a slice come together again. Stages that must see everything in order run in one task.
Stages are kernels where they compile. Folders of part files are written by the tasks, other sinks
by the driver. A line that Spark's own columns can express is no job of ours at all (dataframe.py).

Depends on the physical plan, batches and kernels, and on PySpark, which is imported when a program
runs.

    dataframe.py  Runs a line from Parquet to Parquet as a DataFrame, without Python workers
    fields.py     The fields of saved states and records, as a program has them now
    kept.py       The state that a stream has kept, as plain values
    run.py        Runs a plan on Spark: slices in, a DataFrame or a job, and the sinks in order
    frames/       Spark as the host: a program over DataFrames is a DataFrame
    gang/         Synchronized stages on Spark: a gang of barrier tasks has the workers of a plan
    job/          A batch job: the driver makes RDDs of segments, tasks take slices through stages
    session/      What runs Spark: a context, its Java, its Python workers, or Spark Connect
    stream/       Streams on Spark: programs over growing inputs, in batches, each exactly once
"""

from anabranch.engine.spark.run import execution, run, run_files
from anabranch.plan.physical.spark.capabilities import REFUSES

__all__ = ["REFUSES", "execution", "run", "run_files"]
