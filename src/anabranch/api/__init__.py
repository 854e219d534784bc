"""The Python API: records, streams, operators, windows, aggregates.

Depends on ir, analysis and io.
"""
