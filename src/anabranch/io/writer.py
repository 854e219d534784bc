"""What all writers have in common: the type of items, and the refusal of others."""

from __future__ import annotations

from typing import ClassVar

from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.io.columns import derived_type
from anabranch.io.files.output import StandardOutput, WholeFile
from anabranch.io.values.codecs import Encoder
from anabranch.io.values.scalars import BadValue, shown
from anabranch.ir.ends import ItemWriter
from anabranch.ir.types import AnyOf, Type

DECLARE = "declare the type of the items with to=Type where they are made"


class Writer(ItemWriter):
    """Encodes items and puts them out; without a declared type, the first item tells it.

    A subclass says in `begin` how an item is encoded, and in `put` where the result goes.
    """

    needs_type: ClassVar[bool] = True

    def __init__(self, out: WholeFile | StandardOutput, item_type: Type, where: Span | None):
        self.out, self.where = out, where
        self.encode: Encoder | None = None
        if not (self.needs_type and isinstance(item_type, AnyOf)):
            self.encode = self.begin(item_type)

    @property
    def appears_whole(self) -> bool:
        return self.out.appears_whole

    def begin(self, item_type: Type) -> Encoder:
        """Writes what goes before the items, and gives their encoder, as the format has them."""
        raise NotImplementedError

    def put(self, encoded: object) -> None:
        """Writes one encoded item, as the format has it."""
        raise NotImplementedError

    def write(self, item: object) -> None:
        try:
            if self.encode is None:
                self.encode = self._begin_with(item)
            encoded = self.encode(item)
        except BadValue as bad:
            raise self.refused(bad, item) from None
        self.put(encoded)

    def commit(self) -> None:
        self.out.commit()

    def abort(self) -> None:
        self.out.abort()

    def _begin_with(self, item: object) -> Encoder:
        item_type = derived_type(item)
        if item_type is None:
            raise RunError("the type of the sink's items is not known, and the first one does not "
                           "tell it", self.where, expected="a record or a single value",
                           got=shown(item), help=DECLARE)
        return self.begin(item_type)

    def refused(self, bad: BadValue, item: object) -> RunError:
        what = bad.own_reason or f"{bad.path or 'an item'} is not of the type of the sink's items"
        return RunError(f"cannot write an item: {what}", self.where, expected=bad.expected,
                        got=bad.got, below=f"  = item: {shown(item, 300)}")
