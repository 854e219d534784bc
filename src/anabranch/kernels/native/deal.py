"""Rows dealt to the buckets of a kernel, and its outputs put back, in native loops.

One pass tells the rows apart by their keys. The values that generated code reads then lie together,
bucket by bucket, in arrays that all buckets of the slice have, and each bucket puts its outputs
into its own part of other such arrays. So who puts them back in the order of the rows goes over a
few arrays, however many buckets there are, and columns that are handed on as they are never travel.

>>> from anabranch.ir.operators import WHOLE_ITEM
>>> keys, told = frozen(np.array([5, -7, 2**62, 5])), np.empty(4, np.uint16)
>>> tell(keys, 3, told); told.tolist() == Route(0, [WHOLE_ITEM], 3).buckets_of([*keys]).tolist()
True
>>> order, ends = ordered(told, 3); order.tolist(), ends.tolist()
([1, 0, 2, 3], [0, 0, 1, 4])
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numba import config, njit

from anabranch.batch.buckets import MIXER, MODULUS, Dealt, Route
from anabranch.batch.items import Columns
from anabranch.batch.record_batch import conform, schema_for, with_dictionary
from anabranch.batch.slices import Flow, Outcome
from anabranch.core.once import once
from anabranch.io.arrow import large_pages
from anabranch.io.arrow.schema import batch_like
from anabranch.io.columns import columns_of
from anabranch.kernels.native.cache import is_here, is_saved, note_saved
from anabranch.kernels.native.kernel import NativeKernel, NativeState
from anabranch.kernels.native.slices import OutputArrays, native_column, plain_column
from anabranch.kernels.native.stage.columns import OutputColumn
from anabranch.kernels.native.state.layout import OUT
from anabranch.kernels.native.state.memory import StateMemory
from anabranch.kernels.native.translate.values import CODED
from anabranch.kernels.tally import Tally

MIX, ALL_ONES_61, HALF = np.uint64(MIXER), np.int64(MODULUS), np.uint64(32)


def frozen(array: np.ndarray) -> np.ndarray:
    """A view that is read-only, which is part of the type that Numba compiles for."""
    view = array.view()
    view.flags.writeable = False
    return view


class SliceDealt(Dealt):
    """Items that are dealt to the buckets of a kernel: `order` has the rows of a slice bucket by
    bucket, those of one from one of the `ends` to the next, and `inputs` and `outputs` the arrays
    of generated code, in that order."""

    def __init__(self, items: Columns, kernel: NativeKernel, order: np.ndarray, ends: np.ndarray):
        self.items, self.kernel, self.order, self.ends = items, kernel, order, ends
        self.batch = self._having(items, kernel.stage.inputs)
        self.coded: dict[int, pa.DictionaryArray] = {}
        self.inputs: dict[str, np.ndarray] = {}
        for number in kernel.stage.inputs:
            self._gather(number)
        rooms = OutputArrays.kinds(kernel.stage) if self.is_plain else {}
        self.outputs = {name: large_pages.array(len(order), dtype) for name, dtype in rooms.items()}

    @staticmethod
    def of(items: Columns, route: Route, kernel: NativeKernel) -> SliceDealt:
        return SliceDealt(items, kernel, *ordered(_told(items, route), route.buckets))

    @property
    def parts(self) -> dict[int, Flow]:
        """The shares of the buckets. Nothing here holds them, as they hold this: in a circle all of
        it would wait for the collection of garbage."""
        return {bucket: Flow(self.order[begin:end], BucketRows(self, begin, end))
                for bucket, (begin, end) in enumerate(pairwise(self.ends.tolist())) if begin < end}

    @once
    def is_plain(self) -> bool:
        """Whether every output column is an array of its own, or a copy of a column."""
        sources = self.kernel.stage.sources
        return all(not sources[column.source].path if column.source is not None
                   else list(column.arrays) and column.kind not in CODED and not column.parts
                   for column in self.kernel.stage.columns)

    def _gather(self, number: int) -> None:
        source = self.kernel.stage.sources[number]
        column = source.column(self.batch)
        if source.kind in CODED:
            self.coded[number] = with_dictionary(column)
            return
        values, missing = native_column(column, source.kind, None)
        self.inputs[f"in{number}"] = frozen(_taken(values, self.order))
        self.inputs[f"no{number}"] = frozen(
            _taken(missing, self.order) if column.null_count else missing)

    def put_back(self, outcomes: Sequence[Outcome]) -> Flow | None:
        """What all buckets made, in the order of the rows; None where one has other arrays."""
        made = [flow.items for outcome in outcomes for flow in outcome.outputs]
        if not all(isinstance(one, BucketOutputs) and one.share.dealt is self for one in made) or (
                len({one.aware for one in made}) != 1):
            return None
        sizes = np.zeros(len(self.ends), np.int64)
        for one in made:
            sizes[np.searchsorted(self.ends, one.share.begin, "right") - 1] = len(one)
        places, rows, most = self._places(sizes)
        arrays = {name: self._put(put if most == 1 else put_several, values, sizes, places,
                                  len(rows))
                  for name, values in self.outputs.items() if name != "rows"}
        taken = None if isinstance(rows, range) else rows
        return Flow(rows, Columns(self.output(arrays, self.items, taken, made[0].aware),
                                  self.kernel.rows.output_type))

    def _places(self, sizes: np.ndarray) -> tuple[np.ndarray, Sequence[int], int]:
        """Where the outputs of each row begin, the rows of all outputs, and the most of a row."""
        places = large_pages.array(len(self.order), np.int32)
        rows = large_pages.array(int(sizes.sum()), np.int32)
        least, most = _count(self.order, self.ends, sizes, self.outputs["rows"], places, rows)
        return places, range(len(rows)) if least == most == 1 else rows, most

    def _put(self, put: Callable, values: np.ndarray, sizes: np.ndarray, places: np.ndarray,
             size: int) -> np.ndarray:
        made = large_pages.array(size, values.dtype)
        put(self.order, self.ends, sizes, self.outputs["rows"], places, words(values), words(made))
        return made

    def output(self, arrays: Mapping[str, np.ndarray], given: Columns,
               rows: np.ndarray | None, aware: bool | None) -> pa.RecordBatch:
        """The output columns: of these arrays, and of the columns given, of all rows or some."""
        def made(column: OutputColumn) -> pa.Array:
            if column.source is None:
                return plain_column(column.kind, arrays[f"out{column.number}"],
                                    arrays.get(f"outno{column.number}"), aware)
            own = self.kernel.stage.sources[column.source].column(copied)
            return own if rows is None else rows_of(own, rows)
        copied = self._having(given, (c.source for c in self.kernel.stage.columns
                                      if c.source is not None))
        return batch_like(schema_for(self.kernel.rows.output_type),
                          list(map(made, self.kernel.stage.columns)))

    def _having(self, items: Columns, sources: Iterable[int]) -> pa.RecordBatch:
        """The items with the values of some columns."""
        kind = self.kernel.rows.input_type
        names, own = list(columns_of(kind)), self.kernel.stage.sources
        return conform(items.having(frozenset(names[own[n].number] for n in sources)), kind)


class BucketRows(Columns):
    """The items of one bucket, whose columns are taken apart when somebody asks for them."""

    def __init__(self, dealt: SliceDealt, begin: int, end: int):
        self.dealt, self.begin, self.end = dealt, begin, end

    @property
    def type(self):
        return self.dealt.items.type

    @property
    def schema(self) -> pa.Schema:
        return self.dealt.items.schema

    def __len__(self) -> int:
        return self.end - self.begin

    @property
    def places(self) -> np.ndarray:
        return self.dealt.order[self.begin:self.end]

    @once
    def batch(self) -> pa.RecordBatch:
        return self.dealt.items.batch.take(pa.array(self.places))

    def having(self, names: frozenset[str]) -> pa.RecordBatch:
        return self.dealt.items.having(names).take(pa.array(self.places))

    def through(self, kernel: NativeKernel, state: NativeState, stamp: int | np.ndarray,
                tally: Tally) -> tuple[Columns, Sequence[int], int]:
        """What a kernel makes of them as far as native code goes, the rows that caused it, and how
        many are done."""
        arrays = {name: array[self.begin:self.end] for name, array in self.dealt.outputs.items()}
        outputs = OutputArrays(kernel.stage, len(self), arrays or None)
        done = kernel.fill(state, self.dealt.batch, self._inputs, outputs, stamp, len(self), tally)
        if arrays and outputs.arrays is arrays:
            size = int(state.memory.counters[OUT]) if done else 0
            made = BucketOutputs(self, size, state.memory.aware)
            return made, OutputRows(made), done
        batch, origins = outputs.batch(self.batch, state.memory, kernel.rows.output_type)
        return Columns(batch, kernel.rows.output_type), self.places[origins], done

    def _inputs(self, memory: StateMemory) -> dict[str, np.ndarray]:
        found = {name: array[self.begin:self.end] for name, array in self.dealt.inputs.items()}
        for number, column in self.dealt.coded.items():
            kind = self.dealt.kernel.stage.sources[number].kind
            own = column.take(pa.array(self.places))
            found[f"in{number}"], found[f"no{number}"] = native_column(own, kind, memory.texts)
        return found


class BucketOutputs(Columns):
    """The first outputs of a bucket in the arrays of a slice, of which there are so many."""

    def __init__(self, share: BucketRows, size: int, aware: bool | None):
        self.share, self.size, self.aware = share, size, aware

    @property
    def type(self):
        return self.share.dealt.kernel.rows.output_type

    @property
    def schema(self) -> pa.Schema:
        return self.batch.schema

    def __len__(self) -> int:
        return self.size

    @property
    def places(self) -> np.ndarray:
        """The row of the slice that caused each."""
        return self.share.places[self._own(self.share.dealt.outputs["rows"])]

    @once
    def batch(self) -> pa.RecordBatch:
        dealt = self.share.dealt
        arrays = {name: self._own(array) for name, array in dealt.outputs.items() if name != "rows"}
        return dealt.output(arrays, dealt.items, self.places, self.aware)

    def _own(self, array: np.ndarray) -> np.ndarray:
        return array[self.share.begin:self.share.begin + self.size]


@dataclass(frozen=True)
class OutputRows(Sequence):
    """The rows that caused such outputs, which nobody may ask for."""

    made: BucketOutputs

    def __len__(self) -> int:
        return len(self.made)

    def __getitem__(self, index):
        return self.made.places[index]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return self.made.places.astype(dtype or np.int32)


class DealLoops:
    """The loops of this module, which are made ready as kernels are."""

    failure = None

    @once
    def source(self) -> str:
        return pkgutil.get_data(__package__, "deal.py").decode()

    @property
    def is_saved(self) -> bool:
        return is_saved(self.source)

    @property
    def is_here(self) -> bool:
        return is_here(self.source)

    def warm(self) -> None:
        if config.DISABLE_JIT:
            return
        told, order = np.zeros(0, np.uint16), frozen(np.zeros(0, np.int32))
        tell(frozen(np.zeros(0, np.int64)), 1, told)
        ends, sizes, rows = ordered(told, 1)[1], np.zeros(2, np.int64), np.zeros(0, np.int32)
        _count(order, ends, sizes, rows, rows, rows)
        for kind in (np.int64, np.bool_):
            values = np.zeros(0, kind)
            _taken(values, order)
            for way in (put, put_several):
                way(order, ends, sizes, rows, rows, words(values), words(values))
        note_saved(self.source)


def _told(items: Columns, route: Route) -> np.ndarray:
    """The bucket of each row, as `Route.buckets_of` has it."""
    [key, *more] = route.keys[0] or (None,)
    known = columns_of(items.type)
    if more or key not in known or config.DISABLE_JIT:
        return route.buckets_of(items)
    column = items.column(key)
    told = large_pages.array(len(items), np.uint16)
    if column.type == pa.int64() and not column.null_count:
        tell(frozen(column.to_numpy()), route.buckets, told)
        return told
    return route.buckets_of(items)


def _taken(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The values in another order."""
    made = large_pages.array(len(order), values.dtype)
    take(frozen(words(values)), order, words(made))
    return made


def rows_of(column: pa.Array, rows: np.ndarray) -> pa.Array:
    """Some rows of a column."""
    if column.null_count or column.type not in (pa.int64(), pa.float64()):
        return column.take(pa.array(rows))
    return pa.array(_taken(column.to_numpy(), rows))


def words(values: np.ndarray) -> np.ndarray:
    """Numbers of eight bytes, or flags, as machine words."""
    return values.view(np.int64 if values.dtype.itemsize == 8 else np.uint8)


def ordered(told: np.ndarray, buckets: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of all buckets, one bucket behind the other, and where each of them ends."""
    order, ends = large_pages.array(len(told), np.int32), np.zeros(buckets + 1, np.int64)
    order_by(told, ends, order)
    return frozen(order), ends


@njit(nogil=True, _nrt=False, cache=True)
def tell(keys, buckets, told):
    """The bucket of each key: `spread` of Python's hash of it."""
    for row in range(len(keys)):
        key = keys[row]
        if key < 0 or key >= ALL_ONES_61:
            size = np.uint64(~key) + np.uint64(1) if key < 0 else np.uint64(key)
            own = np.int64(size % np.uint64(ALL_ONES_61))
            key = -own if key < 0 else own
            key = -2 if key == -1 else key
        told[row] = np.uint32((np.uint64(key) * MIX) >> HALF) % np.uint32(buckets)


@njit(nogil=True, _nrt=False, cache=True)
def order_by(told, ends, order):
    for row in range(len(told)):
        ends[told[row] + 1] += 1
    for bucket in range(1, len(ends)):
        ends[bucket] += ends[bucket - 1]
    # While rows are put, each number is where the next row of a bucket goes.
    for row in range(len(told)):
        bucket = told[row]
        order[np.uint64(ends[bucket])] = row
        ends[bucket] += 1
    for bucket in range(len(ends) - 1, 0, -1):
        ends[bucket] = ends[bucket - 1]
    ends[0] = 0


# Numbers without a sign are never counted from the end.
@njit(nogil=True, _nrt=False, cache=True)
def take(values, order, made):
    for place in range(np.uint64(len(order))):
        made[place] = values[np.uint64(order[place])]


@njit(nogil=True, _nrt=False, cache=True)
def _count(order, ends, sizes, origins, places, rows):
    """Counts the outputs of each row; from that, where those of each begin, and the row of each;
    the least and the most that a row has."""
    for row in range(len(places)):
        places[row] = 0
    for bucket in range(len(ends) - 1):
        begin = np.uint64(ends[bucket])
        for n in range(begin, begin + np.uint64(sizes[bucket])):
            places[np.uint64(order[begin + np.uint64(origins[n])])] += 1
    done, least, most = np.uint64(0), 1, 1
    for row in range(np.uint64(len(places))):
        count = places[row]
        places[row] = done
        least, most = min(least, count), max(most, count)
        for _ in range(count):
            rows[done] = row
            done += np.uint64(1)
    return least, most


@njit(nogil=True, _nrt=False, cache=True)
def put(order, ends, sizes, origins, places, values, made):
    """Puts the outputs of all buckets to their places, where no row has two."""
    for bucket in range(len(ends) - 1):
        begin = np.uint64(ends[bucket])
        for n in range(begin, begin + np.uint64(sizes[bucket])):
            row = order[begin + np.uint64(origins[n])]
            made[np.uint64(places[np.uint64(row)])] = values[n]


@njit(nogil=True, _nrt=False, cache=True)
def put_several(order, ends, sizes, origins, places, values, made):
    """The same where rows have several, one behind the other."""
    for bucket in range(len(ends) - 1):
        begin, before, more = ends[bucket], -1, 0
        for n in range(begin, begin + sizes[bucket]):
            origin = origins[n]
            more = more + 1 if origin == before else 0
            before = origin
            made[places[order[begin + origin]] + more] = values[n]
