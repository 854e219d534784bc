"""Reading and writing: files, standard streams, Python objects and Arrow tables.

A source gives typed items, one by one or in columns, and reports malformed rows to a `BadRows`; a
sink opens a writer whose result appears whole at `commit()` or not at all. A value travels in one
of three carriers: the text of a CSV cell, a JSON value, or a native (Arrow) value.

Depends on `core` and `ir`; the engines and the command line depend on it.

    ahead.py     Work that threads do ahead of whoever takes its results, which come in order
    binding.py   A source or sink at another path: `--input NAME=PATH`, `--output NAME=PATH`
    columns.py   Items as columns, for CSV and Parquet: a record's fields, or one column `value`
    formats.py   Where items come from and go to, by format: a run imports those that it has
    lateness.py  A source whose rows come a little out of order, put into the order of their times
    rows.py      From rows to items: each row is decoded and its time checked, or it is malformed
    splits.py    Parts of files that can be read alone: byte ranges of lines, row groups of Parquet
    stdio.py     Standard input and output, as CSV or JSON Lines; single values also as plain text
    writer.py    What all writers have in common: the type of items, and the refusal of others
    arrow/       Arrow: types as Arrow types, rows as record batches, tables as sources and sinks
    avro/        Avro: container files of records, read and written as Arrow's columns
    csv/         CSV: large files by compiled loops, plain ones by Arrow, all others row by row
    dataframe/   Spark DataFrames as sources and sinks
    files/       Files: which ones a path names; they appear whole, written by one run at a time
    json/        JSON documents
    jsonl/       JSON Lines: large files of records by compiled loops, all others line by line
    parquet/     Parquet: columns are found by name and cast exactly; only what is wanted is read
    python/      Python objects as sources and sinks, taken exactly as their types say
    text/        Text in columns: blocks of CSV and JSON rows, scanned and written by compiled loops
    values/      Values and their codecs: from a cell's text, JSON or a native value, and back
"""
