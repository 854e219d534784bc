"""A sequence that is made when somebody looks at it."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.once import once


class Unseen(Sequence):
    """Its length is known before."""

    length: int

    def __len__(self) -> int:
        return self.length

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def __reduce__(self):
        return list, (self.items,)

    @once
    def items(self) -> list:
        return self._made()

    def _made(self) -> list:
        """Every kind opens in its own way."""
        raise NotImplementedError
