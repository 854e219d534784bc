"""Whether an answer is right, and whether it is in order.

An answer is compared with the sequential engine's as a sequence of rows, to the last bit. Only when
that fails are both sorted, to tell a lost order from a wrong value.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

import pyarrow as pa


class Verdict(Enum):
    """From best to worst; only an answer in order is what the program means."""

    IN_ORDER = "in order"
    OUT_OF_ORDER = "not in order"
    WRONG = "wrong"

    @property
    def is_right(self) -> bool:
        return self is not Verdict.WRONG

    def worse(self, other: Verdict) -> Verdict:
        ranks = list(Verdict)
        return max(self, other, key=ranks.index)


def judged(answer: pa.Table, expected: pa.Table) -> Verdict:
    """
    >>> right = pa.table({"n": [1, 2]})
    >>> [judged(pa.table({"n": n}), right).value for n in ([1, 2], [2, 1], [1, 3], [1])]
    ['in order', 'not in order', 'wrong', 'wrong']
    """
    answer = _like(answer, expected)
    if answer is None or len(answer) != len(expected):
        return Verdict.WRONG
    if answer.equals(expected):
        return Verdict.IN_ORDER
    return Verdict.OUT_OF_ORDER if _sorted(answer).equals(_sorted(expected)) else Verdict.WRONG


def _like(answer: pa.Table, expected: pa.Table) -> pa.Table | None:
    """The answer with the columns and types of what is expected; None when it has not these."""
    if set(answer.column_names) != set(expected.column_names):
        return None
    try:
        return answer.select(expected.column_names).cast(expected.schema).combine_chunks()
    except pa.ArrowInvalid:
        return None


def _sorted(table: pa.Table) -> pa.Table:
    return table.sort_by([(name, "ascending") for name in table.column_names]).combine_chunks()


def loaded(path: Path, schema: pa.Schema) -> pa.Table:
    """What a system wrote: a file, or a folder of parts, whose names give their order."""
    files = [path] if path.is_file() else sorted(
        f for f in path.rglob("*") if f.is_file() and not _is_hidden(f.relative_to(path)))
    tables = [_file(file, schema) for file in files if file.stat().st_size]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def _is_hidden(file: Path) -> bool:
    """What a system notes down for itself beside its output."""
    return any(part[0] in "._" for part in file.parts)


def _file(file: Path, schema: pa.Schema) -> pa.Table:
    if file.suffix == ".parquet":
        return pa.parquet.read_table(file, columns=schema.names)
    names = schema.names if not _has_header(file, schema) else None
    return pa.csv.read_csv(
        file, pa.csv.ReadOptions(column_names=names),
        convert_options=pa.csv.ConvertOptions(
            include_columns=schema.names, column_types={f.name: f.type for f in schema}))


def _has_header(file: Path, schema: pa.Schema) -> bool:
    """Not every system writes the names of the columns."""
    with file.open() as lines:
        first = [name.strip('"') for name in lines.readline().strip().split(",")]
    return set(schema.names) <= set(first)
