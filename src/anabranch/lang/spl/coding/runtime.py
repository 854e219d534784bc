"""The names that generated code can use."""

from __future__ import annotations

import math
from decimal import Decimal
from types import ModuleType

from anabranch.lang.spl.coding import files, lists, times, values
from anabranch.lang.spl.formats import literal_value


def _functions(module: ModuleType) -> dict[str, object]:
    return {name: value for name, value in vars(module).items()
            if callable(value) and not name.startswith("_")}


SCOPE = {**_functions(values), **_functions(lists), **_functions(times), **_functions(files),
         "literal_value": literal_value, "math": math, "Decimal": Decimal}
