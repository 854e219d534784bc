"""Synchronized stages on Spark: a gang of barrier tasks has the workers of a plan.

The exchange before the gang brings every event to the task that has its worker, so that over the
connections between the tasks only requests and states travel. What the tasks give are pieces of
slices with stamps, as those of buckets are; the exchange behind puts them in order. The root's
state is what the stage remembers from one batch to the next.
"""
