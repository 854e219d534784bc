"""Synchronous dataflow: actors that take and give so many items at every firing.

Knows no language; depends on `errors` and `source` only.
"""
