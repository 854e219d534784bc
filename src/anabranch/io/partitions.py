"""Fields that the folders of a file give: `date=2026-01-01/part-0.csv` is of that date.

Only what the items have a field for is looked at. A value there counts more than one in the file,
as with Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import unquote

from anabranch.errors import DataError
from anabranch.io.badvalue import BadValue
from anabranch.io.columns import columns_of, item_of
from anabranch.io.decoding import text_decoder
from anabranch.io.paths import folder_keys
from anabranch.ir.types import RecordOf, Type

NOTHING = "__HIVE_DEFAULT_PARTITION__"

Fixed = Mapping[str, object]
"""Fields whose values are known before a file is read."""

NONE: Fixed = {}


def fixed_fields(base: str, file: str, item: Type) -> dict[str, object]:
    """What the folders between a base and a file say of every item in it."""
    steps = folder_keys(base, file) or []
    kinds = columns_of(item) if isinstance(item, RecordOf) else {}
    given = dict(step.split("=", 1) for step in steps)
    return {name: _value(text, kinds[name], name, file)
            for name, text in given.items() if name in kinds}


def _value(text: str, kind: Type, name: str, file: str) -> object:
    try:
        return text_decoder(kind)(None if text == NOTHING else unquote(text))
    except BadValue as bad:
        raise DataError(f"the folder {name}={text} does not give '{name}'", file,
                        expected=bad.expected, got=bad.got,
                        help=f"give '{name}' another type, or another name") from None


def read_columns(item: Type, fixed: Fixed) -> dict[str, Type]:
    """The columns that a file has to have."""
    return {name: kind for name, kind in columns_of(item).items() if name not in fixed}


def maker(item: Type, fixed: Fixed) -> Callable[[list], object]:
    """Makes an item of the values of the columns that were read."""
    make = item_of(item)
    if not fixed:
        return make
    columns = columns_of(item)

    def made(values: list) -> object:
        coming = iter(values)
        return make([fixed[name] if name in fixed else next(coming) for name in columns])
    return made
