"""A stage's native state as bytes, as pages of some keys, and as state of rows.

A page is an Arrow stream of one row: each array of a table is a list column with the entries of the
chosen keys only. Texts are numbered anew within a page, so a page does not depend on what else the
stage has seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell
from anabranch.kernels.native.library.strings import Interner
from anabranch.kernels.native.stage.module import StageModule
from anabranch.kernels.native.state.carrier import Misfit
from anabranch.kernels.native.state.layout import StateTable
from anabranch.kernels.native.state.memory import StateMemory
from anabranch.kernels.native.translate.values import CODED
from anabranch.kernels.rows import RowsState


def dumped(memory: StateMemory) -> bytes:
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


def loaded(stage: StageModule, data: bytes) -> StateMemory:
    saved = pa.ipc.open_stream(data).read_all().to_batches()[0]
    memory = StateMemory.empty(stage)
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


def _used(table: StateTable, count: int) -> dict[str, int]:
    """The arrays of a table, and how many of their numbers are in use."""
    own = {table.array("keys"): count * table.words, table.array("stamps"): count}
    return own | {table.array(f.name): count * f.width for f in table.fields}


def _count(memory: StateMemory, table: StateTable, count: int) -> None:
    memory.counters[table.count] = count
    memory.make_room(table, count)


def to_rows(memory: StateMemory, operators: tuple[Operator, ...], state: RowsState) -> RowsState:
    """The state of the rows tier that stands for the same past."""
    for table in memory.stage.owners:
        op, count = operators[table.operator], memory.count(table)
        words = memory.arrays[table.array("keys")][:count].tolist()
        state.cells[op.variables[0]] = Cell(
            {table.key.python(memory, key): state
             for key, state in zip(words, table.carrier.all(memory, table), strict=True)})
        state.seen[table.operator] = memory.arrays[table.array("stamps")][:count].tolist()
    return state


def from_rows(state: RowsState, operators: tuple[Operator, ...],
              stage: StageModule) -> StateMemory | None:
    """The native state that stands for the same past; None when it does not fit."""
    memory = StateMemory.empty(stage)
    try:
        for table in stage.owners:
            op = operators[table.operator]
            _fill(memory, table, state.cells[op.variables[0]].value, state.seen[table.operator])
    except (Misfit, OverflowError):
        return None
    memory.fill_made()
    return memory


def _fill(memory: StateMemory, table: StateTable, states: dict, seen: list[int]) -> None:
    if not states:
        return
    memory.make_room(table, len(states))
    keys = memory.arrays[table.array("keys")]
    for slot, (key, own) in enumerate(states.items()):
        keys[slot] = table.key.words(memory, key)
        table.carrier.native(memory, table, slot, own)
    memory.arrays[table.array("stamps")][:len(seen)] = np.array(seen, np.int64)
    _count(memory, table, len(states))


PLACES = "places"


def page_of(memory: StateMemory, every: bool) -> bytes:
    """The touched keys, or every key, with their state; then no key counts as touched."""
    texts, columns = PageTexts(memory), {}
    for table in memory.stage.tables:
        touched = memory.arrays[table.array("touched")][:memory.count(table)]
        slots = np.arange(len(touched)) if every else np.flatnonzero(touched)
        columns |= _columns(memory, table, slots, texts)
        touched[:] = False
    memory.tracked = True
    columns["texts"] = texts.used()
    columns["aware"] = saved_zone(memory)
    batch = pa.record_batch([pa.array([c]) if isinstance(c, np.ndarray) else
                             pa.ListArray.from_arrays([0, len(c)], c) for c in columns.values()],
                            list(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def saved_zone(memory: StateMemory) -> np.ndarray:
    """Whether the times are instants; nothing where there are none yet."""
    return np.array([] if memory.aware is None else [memory.aware], np.bool_)


def restore_zone(memory: StateMemory, saved: pa.RecordBatch) -> None:
    """What was saved before instants were known says nothing."""
    found = saved.column("aware")[0].as_py() if "aware" in saved.schema.names else []
    memory.aware = found[0] if found else memory.aware


def _columns(memory: StateMemory, table: StateTable, slots: np.ndarray, texts: PageTexts) -> dict:
    found = {table.array("stamps"): memory.arrays[table.array("stamps")][slots],
             table.array(PLACES): slots}
    for name, width, are_texts in arrays_of(table):
        chosen = memory.arrays[name].reshape(-1, width)[slots]
        for column in are_texts:
            chosen[:, column] = texts.numbered(chosen[:, column])
        found[name] = chosen.reshape(-1)
    return found


def arrays_of(table: StateTable) -> Iterator[tuple[str, int, list[int]]]:
    """The arrays with entries for a key: their names, widths, and which entries are texts."""
    parts = [n for n, part in enumerate(table.key.scalars) if part.kind in CODED]
    yield table.array("keys"), table.words, parts
    for f in table.fields:
        yield table.array(f.name), f.width, list(range(f.width)) if f.is_text else []


class PageTexts:
    """The texts of one page, numbered in the order in which they are met."""

    def __init__(self, memory: StateMemory):
        self.memory, self.codes = memory, np.zeros(0, np.int64)
        # The last entry is for the code -1, which stands for None.
        self.numbers = np.full(len(memory.texts) + 1, -1, np.int64)

    def numbered(self, codes: np.ndarray) -> np.ndarray:
        fresh = np.unique(codes[codes >= 0])
        fresh = fresh[self.numbers[fresh] < 0]
        self.numbers[fresh] = len(self.codes) + np.arange(len(fresh))
        self.codes = np.concatenate([self.codes, fresh])
        return self.numbers[codes]

    def used(self) -> pa.Array:
        return self.memory.texts.texts(self.codes)


def from_pages(stage: StageModule, pages: Iterable[bytes]) -> StateMemory:
    """The state that pages hold, the oldest first: a later entry of a key replaces an earlier."""
    return put_pages(StateMemory.empty(stage), pages)


def put_pages(memory: StateMemory, pages: Iterable[bytes]) -> StateMemory:
    """Puts pages onto a state that is there, all of which has been saved."""
    places = {t.number: np.arange(memory.count(t)) for t in memory.stage.tables}
    for page in pages:
        saved = pa.ipc.open_stream(page).read_all().to_batches()[0]
        restore_zone(memory, saved)
        codes = np.append(memory.texts.of(saved.column("texts")[0].values), -1)
        for table in memory.stage.tables:
            slots = _put(memory, table, saved, codes)
            places[table.number] = _replaced(places[table.number], slots,
                                             _values(saved, table.array(PLACES)))
    for table in memory.stage.tables:
        _sort(memory, table, places[table.number])
        memory.arrays[table.array("touched")][:] = False
    memory.tracked = True
    memory.fill_made()
    return memory


def _values(saved: pa.RecordBatch, name: str) -> np.ndarray:
    return saved.column(name)[0].values.to_numpy(zero_copy_only=False)


def _put(memory: StateMemory, table: StateTable, saved: pa.RecordBatch,
         codes: np.ndarray) -> np.ndarray:
    """Puts the entries of a page; the slot of each."""
    given = {}
    for name, width, are_texts in arrays_of(table):
        given[name] = _values(saved, name).reshape(-1, width).copy()
        for column in are_texts:
            given[name][:, column] = codes[given[name][:, column]]
    keys = given.pop(table.array("keys"))
    slots = memory.enter(table, keys, _values(saved, table.array("stamps")))
    for name, values in given.items():
        memory.arrays[name].reshape(-1, values.shape[1])[slots] = values
    return slots


def _replaced(places: np.ndarray, slots: np.ndarray, given: np.ndarray) -> np.ndarray:
    grown = np.zeros(max(len(places), slots.max(initial=-1) + 1), np.int64)
    grown[:len(places)] = places
    grown[slots] = given
    return grown


def _sort(memory: StateMemory, table: StateTable, places: np.ndarray) -> None:
    """Brings the keys into the order of their first appearance."""
    stamps = memory.arrays[table.array("stamps")]
    order = np.lexsort((places, stamps[:len(places)]))
    if (order[1:] > order[:-1]).all():
        return
    stamps[:len(order)] = stamps[order]
    for name, width, _ in arrays_of(table):
        rows = memory.arrays[name].reshape(-1, width)
        rows[:len(order)] = rows[order]
    memory.make_room(table, 0)
