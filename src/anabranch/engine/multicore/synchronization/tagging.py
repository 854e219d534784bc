"""The tags of items: of whole columns at once where a kernel can compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anabranch.analysis.inference import infer_result
from anabranch.engine.items import Columns
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Map
from anabranch.sync.routing import Tagged, by_calling

if TYPE_CHECKING:
    import pyarrow as pa

    from anabranch.kernels import Kernel


def tagging(graph: Graph, op: Operator, native: bool) -> Callable[[Sequence[object]], Tagged]:
    """How the tags of the operator's events are found; `native` when these may be columns."""
    called = by_calling(op.kind.tag.call)
    kernel = _tag_kernel(graph, op) if native else None
    if kernel is None:
        return called

    def tagged(items: Sequence[object]) -> Tagged:
        if not isinstance(items, Columns):
            return called(items)
        tags, _ = kernel.run(kernel.start(), items.batch)
        return by_value(tags.column(0))
    return tagged


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
