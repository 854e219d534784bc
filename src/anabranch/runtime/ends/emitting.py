"""The sinks' writers as engines see them: `emit(sink, item)`, or in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from anabranch.batch.items import Columns, Written, as_batch
from anabranch.ir.ends import ItemWriter
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.ends import (
    Form,
    as_it_was,
    rows_worth_columns,
    writing,
)
from anabranch.plan.tuning import costs

if TYPE_CHECKING:
    import pyarrow as pa


class Emitter:
    """Gives items to the open writers, by the names of their sinks, and counts them. It is full
    when each sink has got what is `enough`, if that is known."""

    def __init__(self, graph: Graph, writers: dict[str, ItemWriter], written: dict[str, int],
                 enough: Mapping[str, int]):
        self.writers, self.written, self.enough = writers, written, enough
        self.types = {op.name: graph.input_types(op)[0] for op in graph.sinks}
        self.forms, self.in_columns = writing(graph), dict.fromkeys(writers, 0)
        self.made_text: set[str] = set()

    def __call__(self, op: Operator, item: object) -> None:
        self.writers[op.name].write(item)
        self.written[op.name] += 1

    @property
    def is_full(self) -> bool:
        return bool(self.enough) and all(
            self.written[name] >= most for name, most in self.enough.items())

    def told(self) -> dict[str, str]:
        """In which form each sink was written."""
        return {name: as_it_was(Form.TEXT if name in self.made_text else Form.COLUMNS,
                                self.written[name], in_columns)
                for name, in_columns in self.in_columns.items()}

    def takes_columns(self, op: Operator) -> bool:
        """Whether the sink takes columns, and nobody sees in which order it and others are written.
        """
        return self.forms[op.name] is not Form.ROWS

    def is_unseen(self, op: Operator) -> bool:
        """Whether nobody sees when the sink is given its items: a list, a table, or a file."""
        return self.writers[op.name].appears_whole

    def write_all(self, op: Operator, items: list) -> None:
        """Gives the sink all these items, one after another or at once."""
        many = self.written[op.name] >= rows_worth_columns() and self.takes_columns(op)
        columns = self._in_columns(op, items) if many else None
        if not self.write(op, items if columns is None else columns):
            for item in items:
                self(op, item)

    def makes_text(self, op: Operator) -> bool:
        """Whether the columns become text first, which needs no order and takes most of the time.
        """
        return self.forms[op.name] is Form.TEXT

    def with_text(self, op: Operator, items: Sequence) -> Sequence:
        """The items with their text, if columns of the sink's type can hold them; else as they are.
        """
        columns = self._in_columns(op, items)
        if columns is None:
            return items
        return Written(columns, self.writers[op.name].text_of(columns.batch))

    def prepared(self, op: Operator, batch: pa.RecordBatch) -> Columns:
        """A batch of the sink's type as items, with their text where the sink writes text."""
        items = Columns(batch, self.types[op.name])
        return self.with_text(op, items) if self.makes_text(op) else items

    def write(self, op: Operator, items: Iterable) -> bool:
        """Writes columns of the sink's type at once, or any items to a list; False, with nothing
        done, for others."""
        writer = self.writers[op.name]
        if writer.takes_lists:
            writer.write_all(items)
        elif not self._fits(op, items) or not self.takes_columns(op):
            return False
        else:
            self.in_columns[op.name] += len(items)
            if isinstance(items, Written):
                self.made_text.add(op.name)
                writer.write_text(items.text)
            else:
                writer.write_batch(items.batch)
        self.written[op.name] += len(items)
        return True

    def _in_columns(self, op: Operator, items: Sequence) -> Columns | None:
        if not isinstance(items, Columns) and len(items) < costs().fewest_in_columns:
            return None
        batch = as_batch(items, self.types[op.name])
        return None if batch is None else Columns(batch, self.types[op.name])

    def _fits(self, op: Operator, items: Iterable) -> bool:
        return isinstance(items, Columns) and items.type == self.types[op.name]


Emit = Callable[[Operator, object], None]


def is_full(emit: Emit) -> bool:
    """Whether all sinks have got all that there can be for them."""
    return isinstance(emit, Emitter) and emit.is_full
