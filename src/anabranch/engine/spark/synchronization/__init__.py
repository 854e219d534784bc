"""Synchronized stages on Spark: a gang of barrier tasks has the workers of a plan.

The shuffle before the gang brings every event to the task that has its worker, so that over the
connections between the tasks only requests and states travel. What the tasks give are pieces of
slices with stamps, as those of buckets are; the shuffle behind puts them in order. The root's
state is what the stage remembers from one batch to the next.

    planning.py  which stages have a gang      gang.py     which task has which worker
    sample.py    what a plan is made from      dealing.py  events on their way to their workers
    stamps.py    events in one sequence        member.py   a task of a gang at work
    meeting.py   connections between tasks     post.py     messages over them
    rows.py      what one task does with its part of the slices
"""
