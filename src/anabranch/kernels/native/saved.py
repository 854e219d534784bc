"""A stage's native state as bytes, and as the state of the rows tier."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell
from anabranch.kernels.native.carry import Misfit
from anabranch.kernels.native.layout import Table
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.pages import restore_zone, saved_zone
from anabranch.kernels.native.stage import Stage
from anabranch.kernels.native.strings import Interner
from anabranch.kernels.rows import RowsState


def dumped(memory: Memory) -> bytes:
    """An Arrow stream of one row: a list column for the texts and for each array."""
    columns = {"texts": pa.ListArray.from_arrays([0, len(memory.texts)],
                                                 memory.texts.all().cast(pa.string()))}
    for table in memory.stage.tables:
        for name, used in _used(table, memory.count(table)).items():
            columns[name] = pa.array([memory.arrays[name].reshape(-1)[:used]])
    columns["aware"] = pa.array([saved_zone(memory)])
    sink = pa.BufferOutputStream()
    batch = pa.record_batch(list(columns.values()), list(columns))
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def loaded(stage: Stage, data: bytes) -> Memory:
    saved = pa.ipc.open_stream(data).read_all().to_batches()[0]
    memory = Memory.empty(stage)
    restore_zone(memory, saved)
    memory.texts = Interner(saved.column("texts")[0].values)
    for table in stage.tables:
        count = len(saved.column(table.array("stamps"))[0])
        memory.make_room(table, count)
        for name, used in _used(table, count).items():
            values = saved.column(name)[0].values.to_numpy(zero_copy_only=False)
            memory.arrays[name].reshape(-1)[:used] = values
        _count(memory, table, count)
    memory.fill_made()
    return memory


def _used(table: Table, count: int) -> dict[str, int]:
    """The arrays of a table, and how many of their numbers are in use."""
    own = {table.array("keys"): count * table.words, table.array("stamps"): count}
    return own | {table.array(f.name): count * f.width for f in table.fields}


def _count(memory: Memory, table: Table, count: int) -> None:
    memory.counters[table.count] = count
    memory.make_room(table, count)


def to_rows(memory: Memory, operators: tuple[Operator, ...], state: RowsState) -> RowsState:
    """The state of the rows tier that stands for the same past."""
    for table in memory.stage.owners:
        op, count = operators[table.operator], memory.count(table)
        words = memory.arrays[table.array("keys")][:count].tolist()
        state.cells[op.variables[0]] = Cell(
            {table.key.python(memory, key): state
             for key, state in zip(words, table.carrier.all(memory, table), strict=True)})
        state.seen[table.operator] = memory.arrays[table.array("stamps")][:count].tolist()
    return state


def from_rows(state: RowsState, operators: tuple[Operator, ...], stage: Stage) -> Memory | None:
    """The native state that stands for the same past; None when it does not fit."""
    memory = Memory.empty(stage)
    try:
        for table in stage.owners:
            op = operators[table.operator]
            _fill(memory, table, state.cells[op.variables[0]].value, state.seen[table.operator])
    except (Misfit, OverflowError):
        return None
    memory.fill_made()
    return memory


def _fill(memory: Memory, table: Table, states: dict, seen: list[int]) -> None:
    if not states:
        return
    memory.make_room(table, len(states))
    keys = memory.arrays[table.array("keys")]
    for slot, (key, own) in enumerate(states.items()):
        keys[slot] = table.key.words(memory, key)
        table.carrier.native(memory, table, slot, own)
    memory.arrays[table.array("stamps")][:len(seen)] = np.array(seen, np.int64)
    _count(memory, table, len(states))
