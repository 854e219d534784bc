"""JSON Lines: large files of records by compiled loops, all others line by line.

    blocks.py   Large JSON Lines in columns, by compiled loops
    columns.py  JSON Lines in columns: of records of single values, in large files
    files.py    JSON Lines: one JSON value per line; an object for a record
    scan.py     JSON Lines taken apart by compiled loops: objects of numbers, texts, bools and nulls
"""
