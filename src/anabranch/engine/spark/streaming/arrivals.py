"""Files that have arrived, and which of them the next batch reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import accumulate, groupby, islice
from operator import itemgetter
from typing import NamedTuple

from anabranch.io.files import FileSource
from anabranch.io.paths import in_order
from anabranch.ir.graph import Operator

BYTES_OF_A_BATCH = 256 << 20


class Arrived(NamedTuple):
    """A file of a source."""

    source: str
    file: str
    size: int


def portion(arrived: Iterable[Arrived], begun: dict[str, int], files: int | None
            ) -> tuple[list[Arrived], dict[str, int]]:
    """The files of the next batch, of each source in the order of their names, and how many files
    of each are done then. Without a number of files, so many bytes are enough.

    >>> three = [Arrived("in", name, 1) for name in ("c", "a", "b")]
    >>> [file.file for file in portion(three, {"in": 1}, 1)[0]], portion(three, {}, None)[1]
    (['b'], {'in': 3})
    """
    chosen: list[Arrived] = []
    done: dict[str, int] = {}
    for source, own in groupby(_sorted(arrived), key=itemgetter(0)):
        left = list(own)[begun.get(source, 0):]
        before = accumulate((a.size for a in left), initial=0)
        enough = sum(1 for size in islice(before, len(left)) if size < BYTES_OF_A_BATCH)
        taken = left[:enough if files is None else files]
        chosen += taken
        done[source] = begun.get(source, 0) + len(taken)
    return chosen, done


def _sorted(arrived: Iterable[Arrived]) -> list[Arrived]:
    return sorted(arrived, key=lambda a: (a.source, in_order(a.file)))


def grows(op: Operator) -> bool:
    """Whether more may come: a folder or a glob, unlike a single file or a list, which is read
    once, in the first batch."""
    return isinstance(op.kind.spec, FileSource) and not os.path.isfile(op.kind.spec.path)
