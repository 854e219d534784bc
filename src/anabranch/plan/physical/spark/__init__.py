"""The physical plan for Spark: segments, exchanges, tiers, placement, DataFrames.

Nothing here imports PySpark, or starts anything.

    capabilities.py  What the Spark engine does not do, and why: for refusals, docs and tests
    cluster.py       The cluster that a plan is made for: how many cores, and what it can do
    columns.py       What stands behind a source and becomes Spark's own columns, without Python
    dataframe.py     Whether a program becomes a DataFrame: a straight line from Parquet to Parquet
    execution.py     The plan in the words of `explain`, and what a run did in the same words
    frames.py        A plan over DataFrames as a chain of exchanges, sorts and `mapInArrow`
    joins.py         Unions and joins of DataFrames as what has one input, for kernels
    placement.py     How large splits are, how many tasks there are, what executors write
    plan.py          Spark's plan: who reads and writes, segments, exchanges, tiers, tasks
    reading.py       How sources are read: by tasks or by the driver, in which splits and form
    segments.py      A plan as stages, and as segments: the stages that run between two exchanges
    tiers.py         Which stages run as kernels over columns on executors, and why not others
    tuning.py        The numbers by which Spark's plan is made; `--tune` changes them
"""
