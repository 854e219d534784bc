"""Synchronized stages on Spark: a gang of barrier tasks has the workers of a plan.

The exchange before the gang brings every event to the task that has its worker, so that over the
connections between the tasks only requests and states travel. What the tasks give are pieces of
slices with stamps, as those of buckets are; the exchange behind puts them in order. The root's
state is what the stage remembers from one batch to the next.

    connections.py  Connections between the tasks of a gang, and the messages over them
    exchange.py     The exchange before a gang: which task has which worker, and its events
    member.py       A task of a gang at work: its share of every slice in, pieces of slices out
    planner.py      Which synchronized stages have a gang, of how many tasks, by first events
"""
