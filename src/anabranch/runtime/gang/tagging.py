"""The tags of items: of whole columns at once.

The user's function is asked only once for all items that are alike to it, or a kernel tells the
tag where few are.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from anabranch.analysis.facts.live_fields import attributes_read
from anabranch.analysis.typing.inference import infer_result
from anabranch.batch.items import Columns, has_columns
from anabranch.batch.record_batch import with_dictionary
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import WHOLE_ITEM, Map
from anabranch.ir.synchronization import Synchronized
from anabranch.ir.types import RecordOf
from anabranch.plan.sync.program import OTHER, KeyedProgram, key_and_tag
from anabranch.runtime.gang.routing import Tagged, by_calling

if TYPE_CHECKING:
    from anabranch.kernels import Kernel


MANY = 4
"""To be worth it, there must be so many times fewer groups than rows."""
MOST_KNOWN = 65_536
"""The tags of so many groups are remembered at most."""

Numbered = tuple[list[object], np.ndarray, np.ndarray]
"""Some tags, for each code the number of its tag among them, and the code of each item."""


class Tagging:
    """Finds tags with the user's function, which reads these attributes; None when they are not
    known. The kernel, if there is one, computes the function over columns."""

    def __init__(self, tag: Callable[[object], object], attributes: Iterable[str] | None,
                 kernel: Kernel | None = None):
        self.called = by_calling(tag)
        self.attributes, self.kernel = attributes, kernel
        self.known: dict[tuple, object] = {}

    def __call__(self, items: Sequence[object]) -> Tagged:
        """The places of the items of each tag."""
        return _places(*self.numbered(items)) if isinstance(items, Columns) else self.called(items)

    def numbered(self, items: Sequence[object]) -> Numbered:
        in_columns = isinstance(items, Columns)
        groups = _groups(items.batch, self.attributes) \
            if in_columns and self.attributes is not None else None
        if groups is not None:
            return self._of_groups(items, *groups)
        if in_columns and self.kernel is not None:
            # Where the function fails, it is asked again for each item, as the others go on.
            with suppress(Exception):
                tags, _ = self.kernel.run(self.kernel.start(), items.batch)
                codes = with_dictionary(tags.column(0))
                return codes.dictionary.to_pylist(), *_as_they_are(codes.indices.to_numpy())
        tagged, codes = self.called(items), np.empty(len(items), np.int64)
        for number, places in enumerate(tagged.values()):
            codes[places] = number
        return list(tagged), *_as_they_are(codes)

    def _of_groups(self, items: Columns, values: list, codes: np.ndarray) -> Numbered:
        """Asks for the tags of groups that have not been there before."""
        known = self.known = self.known if len(self.known) < MOST_KNOWN else {}
        new = [code for code, value in enumerate(values) if value not in known]
        if new:
            firsts = _firsts(codes, len(values))[new]
            firsts = firsts[firsts >= 0]
            for tag, places in self.called(items.taken(firsts)).items():
                known.update((values[code], tag) for code in codes[firsts[places]])
        number_of: dict[object, int] = {}
        numbers = [number_of.setdefault(known[value], len(number_of)) if value in known else 0
                   for value in values]
        return list(number_of), np.array(numbers, np.int64), codes


def tagging(graph: Graph, op: Operator, native: bool) -> Tagging:
    """How the tags of the operator's events are found, each with its key if there are keys;
    `native` when a kernel may do it."""
    if op.kind.by:
        return _of_keys(op.kind, key_and_tag(op.kind))
    return tags_alone(graph, op, native)


def tags_alone(graph: Graph, op: Operator, native: bool) -> Tagging:
    """The same without the keys."""
    return Tagging(op.kind.tag.call, attributes_read(op.kind.tag),
                   _tag_kernel(graph, op) if native else None)


def keyed_tagging(program: KeyedProgram) -> Tagging:
    """The same for an operator with keys, some of which are split."""
    return _of_keys(program.kind, program.tag)


def _of_keys(kind: Synchronized, tag: Callable[[object], object]) -> Tagging:
    read = attributes_read(kind.tag)
    return Tagging(tag, None if read is None or kind.by == WHOLE_ITEM else read | set(kind.by))


def counted(kind: Synchronized, tagged: Callable[[Sequence[object]], Tagged],
            items: Sequence[object]) -> Counter:
    """How often each tag comes, by key if there are keys."""
    many = Counter({tag: len(places) for tag, places in tagged(items).items()})
    if kind.by:
        # An item that has no key or no tag will show what is wrong with it.
        del many[OTHER]
    return many


def _groups(batch: pa.RecordBatch, attributes: Iterable[str]) -> tuple[list, np.ndarray] | None:
    """The values of these attributes by code, some of which no row may have, and the code of each
    row; None when there are so many that nothing is gained."""
    values, codes, many = [], np.zeros(len(batch), np.int32), 1
    for attribute in sorted(attributes):
        column = with_dictionary(batch.column(attribute))
        many *= len(column.dictionary)
        if many * MANY > len(batch):
            return None
        own = column.indices.to_numpy()
        codes = codes * len(column.dictionary) + own if values else own
        values.append(_distinct(column.dictionary))
    return list(itertools.product(*values)), codes


def _distinct(values: pa.Array) -> list:
    """The values so that each equals itself only: a zero has a sign."""
    if pa.types.is_floating(values.type):
        return [value if value is None else value.hex() for value in values.to_pylist()]
    return values.to_pylist()


def _firsts(codes: np.ndarray, many: int) -> np.ndarray:
    """The first row of each of so many codes, -1 for one that no row has.

    >>> _firsts(np.array([2, 0, 2]), 3).tolist()
    [1, -1, 0]
    """
    first = np.full(many, -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _as_they_are(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number of each code is the code."""
    return np.arange(codes.max(initial=-1) + 1), codes


def _places(tags: list, number_of: np.ndarray, codes: np.ndarray) -> Tagged:
    numbers = number_of.astype(np.min_scalar_type(len(tags))).take(codes)
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=len(tags)))
    return {tag: order[begin:end] for tag, begin, end in zip(tags, [0, *ends], ends) if end > begin}


def _tag_kernel(graph: Graph, op: Operator) -> Kernel | None:
    """The tag function as a kernel of its own, if it has a faster form than plain Python."""
    from anabranch.kernels import compile_stage

    event = graph.input_types(op)[0]
    tag = infer_result(op.kind.tag, [event])
    if isinstance(tag, RecordOf) or not has_columns(tag):
        return None
    kernel = compile_stage((Operator("tag", Map(op.kind.tag), ("events",), ("tags",)),), event, tag)
    return None if kernel.tier == "rows" or kernel.widens else kernel


def at_places(items: Sequence[object], places: Sequence[int]) -> Sequence[object]:
    """The items at these places, in columns if they are held so."""
    if isinstance(items, Columns):
        return items.taken(np.asarray(places))
    return [items[place] for place in places]
