"""Avro: container files of records, read and written as Arrow's columns.

What decodes them is fastavro, which comes with the extra `anabranch[avro]`.

    files.py   Avro container files, as sources and sinks
    schema.py  Schemas of Avro as schemas of Arrow, and back
"""
