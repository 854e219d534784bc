"""Arrow: types as Arrow types, rows as record batches, tables as sources and sinks.

    arrays.py       Columns as NumPy arrays and back, and functions of Arrow by name
    extract.py      Rows of a source in columns, of which only some may have been read
    files.py        Arrow files (IPC, Feather): columns as they lie in memory, found by name
    large_pages.py  Memory for columns: large pages, used again when nobody holds what lies there
    rows.py         Rows of record batches as values of their types, and written as record batches
    schema.py       Our types as Arrow types: what a type is written as, and what it is read from
    table.py        Arrow tables in memory as sources and sinks
"""
