"""Spark DataFrames as sources and sinks.

A source says which columns stand for the fields of a record, and which of them give the order; a
sink is the place where a program leaves for a DataFrame. PySpark is imported only where a frame is.

    columns.py  The columns of a DataFrame as the fields of a record: names and types are checked
    frames.py   Spark DataFrames as sources and sinks: what a program says of them
"""
