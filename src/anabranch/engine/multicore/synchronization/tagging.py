"""The tags of items: of whole columns at once, with the user's function asked only once for all
items that are alike to it, or by a kernel where few are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from anabranch.analysis.attributes import attributes_read
from anabranch.analysis.inference import infer_result
from anabranch.engine.items import Columns, has_columns
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Map
from anabranch.ir.operators.keyed import WHOLE_ITEM
from anabranch.ir.synchronized import Synchronized
from anabranch.ir.types import RecordOf
from anabranch.kernels.batches import with_dictionary
from anabranch.sync.keyed import KeyedProgram, key_and_tag
from anabranch.sync.program import OTHER
from anabranch.sync.routing import Tagged, by_calling

if TYPE_CHECKING:
    import pyarrow as pa

    from anabranch.kernels import Kernel

MANY = 4
"""To be worth it, there must be so many times fewer groups than rows."""

Numbered = tuple[list[object], np.ndarray]
"""The tags of some items, and for each item the number of its own among them."""


class Tagging:
    """Finds tags with the user's function, which reads these attributes; None when they are not
    known. The kernel, if there is one, computes the function over columns."""

    def __init__(self, tag: Callable[[object], object], attributes: Iterable[str] | None,
                 kernel: Kernel | None = None):
        self.called = by_calling(tag)
        self.attributes, self.kernel = attributes, kernel

    def __call__(self, items: Sequence[object]) -> Tagged:
        """The places of the items of each tag."""
        return _places(*self.numbered(items)) if isinstance(items, Columns) else self.called(items)

    def numbered(self, items: Columns) -> Numbered:
        groups = None if self.attributes is None else _groups(items.batch, self.attributes)
        if groups is not None:
            codes, firsts, many = groups
            tags, numbers = _numbered(self.called(items.taken(firsts)), len(firsts))
            of_code = np.zeros(many, np.int64)
            of_code[codes[firsts]] = numbers
            return tags, of_code.take(codes)
        if self.kernel is not None:
            # Where the function fails, it is asked again for each item, as the others go on.
            with suppress(Exception):
                tags, _ = self.kernel.run(self.kernel.start(), items.batch)
                return _by_value(tags.column(0))
        return _numbered(self.called(items), len(items))


def tagging(graph: Graph, op: Operator, native: bool) -> Tagging:
    """How the tags of the operator's events are found, each with its key if there are keys;
    `native` when a kernel may do it."""
    if op.kind.by:
        return _of_keys(op.kind, key_and_tag(op.kind))
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


def _groups(batch: pa.RecordBatch, attributes: Iterable[str]
            ) -> tuple[np.ndarray, np.ndarray, int] | None:
    """For each row a code that rows with the same values have, the first row of each group of
    these, and a bound of all codes; None when there are so many that nothing is gained."""
    codes, many = np.zeros(len(batch), np.int32), 1
    for attribute in sorted(attributes):
        column = with_dictionary(batch.column(attribute))
        many *= len(column.dictionary)
        if many * MANY > len(batch):
            return None
        codes = codes * len(column.dictionary) + column.indices.to_numpy()
    first = np.full(many, -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return codes, first[first >= 0], many


def _numbered(tagged: Tagged, size: int) -> Numbered:
    numbers = np.empty(size, np.int64)
    for number, places in enumerate(tagged.values()):
        numbers[places] = number
    return list(tagged), numbers


def _by_value(tags: pa.Array) -> Numbered:
    codes = with_dictionary(tags)
    return codes.dictionary.to_pylist(), codes.indices.to_numpy().astype(np.int64)


def _places(tags: list, numbers: np.ndarray) -> Tagged:
    order = np.argsort(numbers.astype(np.min_scalar_type(len(tags))), kind="stable")
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
