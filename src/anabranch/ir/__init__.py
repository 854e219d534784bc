"""The intermediate language: typed, frozen graphs of operators, queues and variables.

Depends on `source` and `errors` alone; everything else depends on it.
"""
