"""Workers of a synchronization plan: messages in and out, which engines carry.

    messages.py  What workers of a plan send each other: plain data, so that it can travel
    outputs.py   The outputs of all workers, as far as complete, in the order of their events
    plans.py     What a synchronized stage knows of its plan: when a gang pays, its first state
    routing.py   Which worker takes which event: by its tag; of a divided tag in turn, or in pools
    tagging.py   The tags of items: of whole columns at once
    travel.py    Messages of a synchronization plan as bytes; runs of records travel as columns
    updates.py   How a worker takes a run of events: by a line of its own
    worker.py    A worker of a plan: messages in, messages out, nothing else
"""
