"""The functions of the corpus are read by its tests, not by pytest in search of examples."""

from shared_context import decimal_context  # noqa: F401

collect_ignore = ["helpers", "hostile", "innocent"]
