"""Text in columns: blocks of CSV and JSON rows, scanned and written by compiled loops.

    blocks.py     Large texts in columns: blocks of rows, which compiled loops take apart
    columns.py    Text in columns: names and cells that need no second look
    files.py      Text files as sources: each line is an item
    format.py     Lines of text made of columns by compiled loops; numbers are as Python writes them
    lines.py      The lines of a byte stream as text, counted; bytes that are not UTF-8 are kept
    places.py     Blocks of lines as places in files, which whoever works on them reads
    scan.py       Text scanned by compiled loops: eight bytes at a time, and the numbers in it
    stretches.py  Columns that go on behind rows which only the reading of rows can judge
"""
