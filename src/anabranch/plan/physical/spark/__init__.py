"""The physical plan for Spark: segments, exchanges, tiers, placement, DataFrames.

Nothing here imports PySpark, or starts anything.

    capabilities.py  What the Spark engine does not do, and why: for refusals, docs and tests
    dataframe.py     Whether a program becomes a DataFrame: a straight line from Parquet to Parquet
    execution.py     What `explain` shows of a plan on Spark: tier, exchange and order by stage
    frames.py        A plan over DataFrames as a chain of exchanges, sorts and `mapInArrow`
    placement.py     How large splits are, how many tasks there are, what executors write
    segments.py      A plan as stages, and as segments: the stages that run between two exchanges
    tiers.py         Which stages run as kernels over columns on executors, and why not others
"""
