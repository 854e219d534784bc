"""Spark DataFrames as sources and sinks.

A source says which columns stand for the fields of a record, and which of them give the order; a
sink is the place where a program leaves for a DataFrame. PySpark is not imported here.
"""
