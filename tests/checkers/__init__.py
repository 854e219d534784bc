"""What type checkers and editors see of programs.

`reveal.py` and `wrong.py` are read by type checkers and never run; comments at the ends of lines
say what is expected there. `make types` asks all of them, `make test` mypy alone.
"""
