"""Lists that worker processes have from the beginning, as they are forks of this one: of the items
of a source that gives such a list only the places travel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from anabranch.engine.multicore.unseen import Unseen


class Inherited(Unseen):
    """The items of the list of a source from one place to another.

    >>> items = Inherited("numbers", [7, 8, 9])
    >>> items[1:].place, list(items[1:])
    (('numbers', 1, 3), [8, 9])
    """

    def __init__(self, source: str, whole: list, start: int = 0, stop: int | None = None):
        self.source, self.whole, self.start = source, whole, start
        self.stop = len(whole) if stop is None else stop
        self.length = self.stop - self.start

    @property
    def place(self) -> tuple[str, int, int]:
        return self.source, self.start, self.stop

    def _made(self) -> list:
        return self.whole[self.start:self.stop]

    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, step = index.indices(self.length)
            if step == 1:
                return Inherited(self.source, self.whole, self.start + start,
                                 self.start + max(start, stop))
        return self.items[index]


def lists_of(items: Mapping[str, Iterable], sources: Iterable[str]) -> dict[str, list]:
    """The lists that some of these sources give, themselves or what reads them."""
    found = {name: getattr(getattr(items[name], "spec", None), "iterable", items[name])
             for name in sources}
    return {name: given for name, given in found.items() if type(given) is list}
