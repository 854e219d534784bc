"""The tags of items: of whole columns at once where a kernel can compute them, or where the
function is asked only once for all items that are alike to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anabranch.analysis.attributes import attributes_read
from anabranch.analysis.inference import infer_result
from anabranch.engine.items import Columns
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Map
from anabranch.sync.routing import Tagged, by_calling

if TYPE_CHECKING:
    import pyarrow as pa

    from anabranch.kernels import Kernel

MANY = 4
"""To be worth it, there must be so many times fewer groups than rows."""


def tagging(graph: Graph, op: Operator, native: bool) -> Callable[[Sequence[object]], Tagged]:
    """How the tags of the operator's events are found; `native` when a kernel may do it."""
    called = by_asking_once(op.kind.tag.call, attributes_read(op.kind.tag))
    kernel = _tag_kernel(graph, op) if native else None
    if kernel is None:
        return called

    def tagged(items: Sequence[object]) -> Tagged:
        if not isinstance(items, Columns):
            return called(items)
        tags, _ = kernel.run(kernel.start(), items.batch)
        return by_value(tags.column(0))
    return tagged


def by_asking_once(tag: Callable[[object], object], attributes: Iterable[str] | None
                   ) -> Callable[[Sequence[object]], Tagged]:
    """Finds the tags of columns by calling the function once for all items with the same values of
    the attributes that it reads; None when these are not known."""
    called = by_calling(tag)

    def tagged(items: Sequence[object]) -> Tagged:
        groups = _groups(items.batch, attributes) \
            if isinstance(items, Columns) and attributes is not None else None
        if groups is None:
            return called(items)
        numbers, firsts = groups
        tags = called(items.taken(firsts))
        number_of = np.empty(len(firsts), np.int64)
        for number, places in enumerate(tags.values()):
            number_of[places] = number
        return _by_number(list(tags), number_of[numbers])
    return tagged


def _groups(batch: pa.RecordBatch, attributes: Iterable[str]
            ) -> tuple[np.ndarray, np.ndarray] | None:
    """For each row the number of its group, whose rows have the same values, and the first row of
    each group; None when there are so many that nothing is gained."""
    codes, many = np.zeros(len(batch), np.int64), 1
    for attribute in sorted(attributes):
        column = batch.column(attribute).dictionary_encode("encode")
        many *= len(column.dictionary)
        if many * MANY > len(batch):
            return None
        codes = codes * len(column.dictionary) + column.indices.to_numpy()
    first = np.full(many, -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    there = np.flatnonzero(first >= 0)
    number = np.zeros(many, np.int64)
    number[there] = np.arange(len(there))
    return number[codes], first[there]


def _by_number(tags: list, numbers: np.ndarray) -> Tagged:
    """The places of each tag, of which there may be many."""
    order = np.argsort(numbers.astype(np.int16), kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=len(tags)))
    return {tag: order[begin:end] for tag, begin, end in zip(tags, [0, *ends], ends) if end > begin}


def _tag_kernel(graph: Graph, op: Operator) -> Kernel | None:
    """The tag function as a kernel of its own, if it has a faster form than plain Python."""
    from anabranch.engine.items import has_columns
    from anabranch.kernels import compile_stage

    event = graph.input_types(op)[0]
    tag = infer_result(op.kind.tag, [event])
    if not has_columns(tag):
        return None
    kernel = compile_stage((Operator("tag", Map(op.kind.tag), ("events",), ("tags",)),), event, tag)
    return None if kernel.tier == "rows" or kernel.widens else kernel


def by_value(tags: pa.Array) -> Tagged:
    """The places of each tag."""
    codes = tags if hasattr(tags, "indices") else tags.dictionary_encode()
    values = codes.dictionary.to_pylist()
    number = np.asarray(codes.indices.fill_null(len(values)))
    known = [*values, *([None] if codes.null_count else [])]
    found = ((tag, np.flatnonzero(number == code)) for code, tag in enumerate(known))
    return {tag: places for tag, places in found if len(places)}


def at_places(items: Sequence[object], places: Sequence[int]) -> Sequence[object]:
    """The items at these places, in columns if they are held so."""
    if isinstance(items, Columns):
        return items.taken(np.asarray(places))
    return [items[place] for place in places]
