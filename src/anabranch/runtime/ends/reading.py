"""A source while it is read: its items counted, one by one, or in columns.

What is wrong with a row, and what is to be done with it, only the reading of rows can say. So where
columns end early, all that they gave was in order, and the items behind it are read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from itertools import islice
from typing import TYPE_CHECKING

from anabranch.batch.items import Columns, have_one_schema, joined_later
from anabranch.core.errors import DataError
from anabranch.core.lazy import Lazy
from anabranch.core.lazy import arrow as pa
from anabranch.core.lazy import compute as pc
from anabranch.io.csv.files import CsvSource
from anabranch.io.files.sources import FileSource
from anabranch.io.jsonl.files import JsonlSource
from anabranch.io.rows import BadRows
from anabranch.ir.graph import Operator
from anabranch.plan.physical.ends import Form, as_it_was, reads_columns

if TYPE_CHECKING:
    from anabranch.io.arrow.extract import Extract, Names
    from anabranch.io.text.stretches import Stretch

narrow, extracting = Lazy("anabranch.batch.narrow"), Lazy("anabranch.io.arrow.extract")

PROGRESS_EVERY = 2048


TEXTS = (CsvSource, JsonlSource)
"""Sources whose columns go on behind rows that are none."""


class Many(list):
    """Items that came together; an item may itself be a list."""


class Reports:
    """Takes reports of malformed rows, of which the first ones are `known` already."""

    def __init__(self, rows: BadRows, known: int = 0):
        self.rows, self.known, self.made = rows, known, 0

    def report(self, error: DataError, raw: str) -> None:
        self.made += 1
        if self.made > self.known:
            self.rows.report(error, raw)


class Reading:
    """The items of one source. `read` has the number of those that were given out, by source.

    In columns only those that are `wanted` need to be read, None for all, by so many `threads`.
    """

    def __init__(self, op: Operator, rows: BadRows, read: dict[str, int],
                 progress: Callable[[dict[str, int]], None] | None = None):
        self.op, self.rows = op, rows
        self.spec = op.kind.spec.at_start()
        self.read, self.progress = read, progress
        self.in_columns = {op.name: 0}
        self.wanted: Names | None = None
        self.threads = 1

    def __iter__(self) -> Iterator[object]:
        """The items one by one, from the first."""
        if self.spec.in_chunks:
            return self._records(self.spec.items(self.rows))
        return self._from(0)

    @property
    def is_live(self) -> bool:
        """Whether its items come while the program runs: from a pipe, or an iterator."""
        return self.spec.live

    def arriving(self, rows: BadRows) -> Iterator[object]:
        """The items for one who counts them with `arrived`; malformed rows go to `rows`."""
        return self.spec.items(rows)

    def arrived(self, item: object) -> None:
        """An item has been taken."""
        self.read[self.op.name] += self.spec.records_of(item)
        if self.progress is not None and self.read[self.op.name] % PROGRESS_EVERY == 0:
            self.progress(self.read)

    @property
    def has_columns(self) -> bool:
        return reads_columns(self.spec)

    @property
    def in_bulk(self) -> bool:
        """Whether `pieces` may have many items each."""
        return self._can_wait or self.spec.has_lists or self.has_columns

    @property
    def form(self) -> str:
        """In which form its items were read."""
        return as_it_was(Form.COLUMNS, self.read[self.op.name], self.in_columns[self.op.name])

    def only(self, wanted: Names | None, threads: int) -> Reading:
        """The same reading, of these columns, by so many threads."""
        narrowed = copy(self)
        narrowed.wanted, narrowed.threads = wanted, threads
        return narrowed

    def pieces(self, together: bool = False, least: int = 0) -> Iterator[Columns | Many | object]:
        """The items in columns, of `least` so many, or in lists, which whoever takes them counts
        with `took`; from the first on that cannot be judged so, single items, or lists of some for
        one who takes them all `together`."""
        few = self._can_wait and self._is_shorter(least)
        if not few and self.has_columns and not self._is_shorter(least):
            return self._columns(together)
        return self._lists() if self.spec.has_lists else self._rest(0, together)

    def _is_shorter(self, least: int) -> bool:
        """Whether it is known to have fewer rows."""
        about = self.spec.rows_about() if least else None
        return about is not None and about < least

    def _lists(self) -> Iterator[Many | object]:
        done = 0
        for items in self.spec.lists():
            done += len(items)
            yield Many(items)
        if not done or done < self.spec.rows_about():
            yield from self._from(done)

    def _columns(self, together: bool) -> Iterator[Columns | Many | object]:
        done, extracts, reports = 0, self._in_order(self._extracts()), Reports(self.rows)
        few = FewRows(MOST_OF_FEW if self._can_wait else 0)
        while True:
            try:
                extract = next(extracts, None)
            except Exception:
                yield from few.taken()
                # What has been reported is not reported again.
                self.rows = Reports(self.rows, reports.made) if reports.made else self.rows
                yield from self._rest(done, together)
                return
            if extract is None:
                yield from few.taken()
                return
            if not isinstance(extract, extracting.Extract):
                yield from few.taken()
                for piece in self._one_by_one(extract.items(reports), together):
                    done += len(piece) if isinstance(piece, Many) else 1
                    yield piece
                continue
            done += len(extract.batch)
            self.in_columns[self.op.name] += len(extract.batch)
            yield from few.with_more(narrow.columns_of_extract(extract, self.spec.type))

    def _extracts(self) -> Iterator[Extract | Stretch]:
        """What is read in columns; of texts also stretches of rows, but where times have to rise:
        there a row is judged by the one before it."""
        source = self.spec
        in_stretches = isinstance(source, TEXTS) and source.time is None
        return (source.parts if in_stretches else source.extracts)(self._needed, self.threads)

    def _one_by_one(self, items: Iterator[object], together: bool) -> Iterator[Many | object]:
        if together and self._can_wait:
            yield from _gathered(items)
            return
        for item in items:
            self.arrived(item)
            yield item

    @property
    def _can_wait(self) -> bool:
        """Whether the next rows are there already: those of a file, not of a pipe."""
        return isinstance(self.spec, FileSource) and self.spec.replayable

    def _rest(self, start: int, together: bool) -> Iterator[Many | object]:
        if together and self._can_wait:
            return _gathered(islice(self.spec.items(self.rows), start, None))
        return self._from(start)

    @property
    def _needed(self) -> Names | None:
        """Without its time a row cannot be put in order."""
        time = self.op.kind.time
        return self.wanted if self.wanted is None or time is None else self.wanted | {time}

    def _from(self, start: int) -> Iterator[object]:
        for count, item in enumerate(islice(self.spec.items(self.rows), start, None), start + 1):
            self.read[self.op.name] = count
            if self.progress is not None and count % PROGRESS_EVERY == 0:
                self.progress(self.read)
            yield item

    def _records(self, items: Iterator[object]) -> Iterator[object]:
        """Items that are many records each; the source says how many."""
        for item in items:
            self.took(self.spec.records_of(item))
            yield item

    def took(self, rows: int) -> None:
        """So many rows of the columns have been taken; the rest may never be."""
        self.read[self.op.name] += rows
        if self.progress is not None:
            self.progress(self.read)

    def _in_order(self, extracts: Iterator[Extract]) -> Iterator[Extract]:
        """The extracts; an `OutOfOrder` for one in which the time is missing or goes back."""
        if self.op.kind.time is None:
            yield from extracts
            return
        last = None
        for extract in extracts:
            times = extract.batch.column(self.op.kind.time)
            if not _rises(times, last):
                raise OutOfOrder
            last = times[-1] if len(times) else last
            yield extract


MOST_OF_FEW = 8192
"""Columns of fewer rows, as those of small files, go on together."""


class FewRows:
    """Columns of few rows, which are held until they are so many as have gone on already, or the
    `most`: the first ones wait for nobody.

    >>> from anabranch.ir.types import INT
    >>> few, two = FewRows(4), Columns(pa.record_batch({"n": [7, 8]}), INT)
    >>> [[len(columns) for columns in few.with_more(two)] for _ in range(5)]
    [[2], [2], [], [4], []]
    >>> [len(columns) for columns in few.taken()]
    [2]
    """

    def __init__(self, most: int):
        self.most, self.gone, self.held, self.rows = most, 0, [], 0

    def with_more(self, columns: Columns) -> Iterator[Columns]:
        self.held.append(columns)
        self.rows += len(columns)
        if self.rows >= min(self.gone, self.most):
            yield from self.taken()

    def taken(self) -> Iterator[Columns]:
        """All that is held."""
        if self.held:
            held, self.held = self.held, []
            self.gone, self.rows = self.gone + self.rows, 0
            if len(held) > 1 and have_one_schema(held):
                held = [joined_later(held)]
            yield from held


def _gathered(items: Iterator[object]) -> Iterator[Many]:
    """The items in lists; those before one that cannot be read come before its error."""
    found = Many()
    try:
        for item in items:
            found.append(item)
            if len(found) == PROGRESS_EVERY:
                yield found
                found = Many()
    except Exception:
        yield found
        raise
    yield found


class OutOfOrder(Exception):
    """A time that only the reading of rows can judge."""


def _rises(times: pa.Array, last: pa.Scalar | None) -> bool:
    if times.null_count or (pa.types.is_floating(times.type) and _any(pc.is_nan(times))):
        return False
    first_fits = last is None or not len(times) or pc.less_equal(last, times[0]).as_py()
    return first_fits and not _any(pc.greater(times[:-1], times[1:]))


def _any(found: pa.Array) -> bool:
    return bool(pc.any(found, min_count=0).as_py())
