"""The intermediate language: typed, frozen graphs of operators, queues and variables.

Depends on `core` alone; everything else depends on it.
"""
