"""Synchronous dataflow: actors that take and give so many items at every firing.

    flow.py      actors joined by channels         balance.py   how often each fires in a period
    starting.py  what must happen before the first period, and whether loops can start

Knows no language; depends on `errors` and `source` only.
"""
