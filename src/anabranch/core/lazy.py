"""Modules that are imported when something of them is first asked for.

What a short run takes is mostly imports: a module that most runs do without stands behind one of
these, where an import in each function would say the same many times.

>>> json = Lazy("json")
>>> json.dumps([1])
'[1]'
"""

from __future__ import annotations

from importlib import import_module


class Lazy:
    """Stands for the module of a name."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


compute = Lazy("pyarrow.compute")
"""It makes three hundred functions with their documentation."""

parquet = Lazy("pyarrow.parquet")
"""It brings all file systems that Arrow knows."""
