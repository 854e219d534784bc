"""CSV: large files by compiled loops, plain ones by Arrow, all others row by row.

    blocks.py   Large CSV files in columns, by compiled loops
    cells.py    Texts of a dialect as usual ones, and their cells as values, in columns
    columns.py  CSV as record batches, for files that need no second look
    dialect.py  How a CSV file is written: what stands between cells, and what means None
    files.py    CSV: a header names the columns, in any order; quoted cells may hold commas, lines
    records.py  Where the rows of a CSV file begin, also when line ends stand between quotes
    scan.py     CSV text taken apart by compiled loops: numbers and texts of a block of rows
    text.py     Record batches as CSV text, made by Arrow where it writes a value as Python does
"""
