"""Programs of the search may change the interpreter."""

from shared_context import decimal_context  # noqa: F401
