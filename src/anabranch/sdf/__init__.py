"""Synchronous dataflow: actors that take and give so many items at every firing.

    flow.py      actors joined by channels         balance.py   how often each fires in a period
    starting.py  what happens before the first     schedule.py  both together
    stations.py  actors at work on blocks          moving.py    splitters and joiners there
    rings.py     which actors run together         crew.py      workers that take blocks through
    firings.py   how often actors have fired, told from the starts
    ranges.py    rates that are not always the same   parts.py   flows cut where they are
    demand.py    actors that fire when they are asked   latency.py   when messages arrive

Knows no language; depends on `errors` and `source` only.
"""
