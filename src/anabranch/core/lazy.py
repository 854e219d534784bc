"""Modules that are imported when something of them is first asked for.

What a short run takes is mostly imports: a module that most runs do without stands behind one of
these, where an import in each function would say the same many times.

>>> json = Lazy("json")
>>> json.dumps([1])
'[1]'
"""

from __future__ import annotations

import sys
from importlib import import_module


class Lazy:
    """Stands for the module of a name."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


numpy, arrow = Lazy("numpy"), Lazy("pyarrow")
"""Rows of plain Python need neither."""

compute = Lazy("pyarrow.compute")
"""It makes three hundred functions with their documentation."""

parquet = Lazy("pyarrow.parquet")
"""It brings all file systems that Arrow knows."""


def numpy_types(*names: str) -> tuple[type, ...]:
    """These types of NumPy; none as long as nobody has imported it: then no value has them.

    >>> import numpy
    >>> numpy_types("bool_", "generic") == (numpy.bool_, numpy.generic)
    True
    """
    loaded = sys.modules.get("numpy")
    return () if loaded is None else tuple(getattr(loaded, name) for name in names)
