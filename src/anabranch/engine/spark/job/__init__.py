"""A batch job: the driver makes RDDs of segments, tasks take slices through stages.

    buckets.py   A partitioned stage: rows go to the buckets of their keys, each a line of its own
    driver.py    The driver's side of a job: what tasks are told, segments as RDDs, ordered output
    lines.py     What serves a stage on an executor, a kernel or rows, and the notes of its work
    metrics.py   What the stages of a job did and when, as the tasks have noted it down
    pickling.py  Programs and rows as bytes, on their way to the executors and back
    pieces.py    Pieces of slices: what travels through Spark
    sinks.py     Folders of part files that executors write: a part for each task at the end
    sources.py   The sources of a job: splits of files for executors, or slices cut by the driver
    stamps.py    Stamps: where an item stands within its slice, so that order can be restored
    tasks.py     What runs on executors: one function from a partition's elements to elements
"""
