"""The Spark engine: a plan as a batch job on a cluster, or on the cores of this machine.

Source tuples are cut into slices, as in the multicore engine, and a slice travels through Spark as
one element, in columns where its items have them. Stages without state run where the slice is. A
partitioned stage takes a slice apart by buckets of keys; every item then carries a stamp, by which
the pieces of a slice come together again. Stages that must see everything in order run in one task.
Stages are kernels where they compile. Folders of part files are written by the tasks, other sinks
by the driver. A line that Spark's own columns can express is no job of ours at all (frames.py).

    java.py      which Java, and how it keeps quiet     session.py   a session, ours or the user's
    masters.py   what a master needs
    remote.py    sessions of Spark Connect              connect.py   segments as DataFrames there
    package.py   this package where workers are         environment.py  variables for a while
    travel.py    programs and rows as bytes             pieces.py    pieces of slices
    distant.py   columns without those nobody needs     settling.py  workers that collect little
    stamps.py    places within a slice                  keys.py      the bucket of a key
    segments.py  stages between two shuffles            tasks.py     what runs on the executors
    lines.py     what serves a stage                    buckets.py   a partitioned stage
    kernels.py   which stages have a kernel             frames.py    lines as DataFrames
    intake.py    files.py, spool.py: the sources        sinks.py     folders of part files
    program.py   a plan as a job                        job.py       segments as RDDs
    computing.py what Spark computes                    synchronization/  gangs of tasks
    run.py       from sources to sinks                  explaining.py  what explain and --stats show
    capabilities.py  what it does not do                streaming/   the same job, batch by batch

Depends on the plan, the stages and lines of the multicore engine, the kernels, and PySpark, which
is imported when a program runs.
"""

from anabranch.engine.spark.capabilities import REFUSES
from anabranch.engine.spark.run import execution, run, run_files

__all__ = ["REFUSES", "execution", "run", "run_files"]
