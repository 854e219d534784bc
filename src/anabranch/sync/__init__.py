"""Dependency-guided synchronization: programs that keys cannot split, run as trees of workers.

The model is that of Kallas, Niksic, Stanford and Alur, "Stream Processing with Dependency-Guided
Synchronization". A program says which of its events depend on each other, and how its state is
forked and joined; a plan is a tree of workers, each with the tags that it takes; events that
depend on each other are worked off in order, those that do not in parallel.

    program.py      the user's functions, ready to call     consistency.py  do they fit together?
    plan.py         trees of workers                        validity.py     which trees are allowed
    optimizers/     which tree is best                      routing.py      which worker takes what
    mailbox.py      when an event may be worked off         worker.py       what a worker then does
    updates.py      a run of events, in plain Python        collecting.py   the outputs, in order
    messages.py     what workers say

Depends on the IR alone; `check`, `explain` and the engines depend on it.
"""
