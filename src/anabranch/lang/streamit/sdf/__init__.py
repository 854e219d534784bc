"""Synchronous dataflow: actors that take and give so many items at every firing.

Knows no language; depends on `errors` and `source` only.

    demand.py    Actors that fire when they are asked to, and when messages between them arrive
    flow.py      Actors and channels: a whole program, flat, with its rates and its loops
    periods.py   How often actors fire in each period, and how periods are cut into blocks
    schedule.py  What fires before the first period and in every period, and parts with schedules
"""
