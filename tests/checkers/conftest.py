"""Two files are for type checkers alone."""

collect_ignore = ["reveal.py", "wrong.py"]
