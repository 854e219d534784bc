"""Reading and writing: files, standard streams, Python objects and Arrow tables.

A source gives typed items, one by one or in columns, and reports malformed rows to a `BadRows`; a
sink opens a writer whose result appears whole at `commit()` or not at all. A value travels in one
of three carriers: the text of a CSV cell, a JSON value, or a native (Arrow) value.

Depends on `source`, `errors` and `ir`; the engines and the command line depend on it.
"""
