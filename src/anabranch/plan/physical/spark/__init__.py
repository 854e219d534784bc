"""The physical plan for Spark: segments between exchanges, tiers, placement, DataFrames.

Nothing here imports PySpark, or starts anything.
"""
