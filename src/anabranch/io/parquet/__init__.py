"""Parquet: columns are found by name and cast exactly; only what is wanted is read.

    columns.py  Parquet in columns; what nobody wants is read only as far as it has to be looked at
    files.py    Parquet, batch by batch: columns are found by name, types checked beforehand
    footer.py   The end of a Parquet file: where its row groups are, in Thrift's compact protocol
    groups.py   The row groups of a file that is written: several threads encode them, in order
"""
