"""Values and their codecs: from a cell's text, JSON or a native value, and back.

    codecs.py   Codecs: between a typed value and a cell's text, a JSON value or a native value
    scalars.py  Single values in three carriers: a cell's text, a JSON value, a native value
"""
