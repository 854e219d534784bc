"""Where the state of a stage lies: its arrays and keys, the counters of its code.

Generated code keeps the counters in `c`. A key is a few words of 64 bits. A scalar has an array,
and a second one if a flag tells it from None; a record has those of its scalars.

>>> from anabranch.kernels.native.translate.values import Value
>>> [f.name for f in arrays_for(Value("int", "v", "no_v"), "g0")]
['g0', 'no_g0']
>>> kept(Value("int", "v", "no_v"), "g0", lambda name: f"{name}[at]")
Value(kind='int', code='g0[at]', none='no_g0[at]', constant=..., column=None, made=None)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anabranch.ir.operators import WHOLE_ITEM
from anabranch.ir.records import Record
from anabranch.kernels.native.state.carrier import Key
from anabranch.kernels.native.translate.body import Body, plain
from anabranch.kernels.native.translate.values import (
    CODED,
    HELD,
    ZEROS,
    Rec,
    Shape,
    Unsupported,
    Value,
    flag,
    is_plain,
    leaves,
    within,
)

ROW, OUT = 0, 1
FIRST_TABLE, PER_TABLE = 2, 4


@dataclass(frozen=True)
class StateField:
    """An array of state: `width` entries for each key. `is_text`: they are codes of texts."""

    name: str
    dtype: str
    initial: str
    width: int = 1
    is_text: bool = False


@dataclass(frozen=True)
class OperatorCounters:
    """Where `c` tells of the operators behind the first: how many rows each was given, so many
    before this row, and in a slice that is measured its ticks with those behind it.

    `ones` says of each operator whether it gives one output for each input: then what follows need
    not be counted, nor an operator with no others up to the output.

    >>> OperatorCounters(0, (False, True, True)).given([0, 7], 9)
    [9, 7, 7]
    >>> OperatorCounters(0, (True, False)).given([0, 7], 9)
    [9, 9]
    """

    tables: int
    ones: tuple[bool, ...]

    @property
    def first(self) -> int:
        return FIRST_TABLE + PER_TABLE * self.tables

    @property
    def size(self) -> int:
        return self.first + 3 * (len(self.ones) - 1)

    def rows(self, operator: int) -> int:
        """The place of its rows; behind it are those before this row, and its ticks."""
        return self.first + 3 * (operator - 1)

    @property
    def places(self) -> list[int]:
        """The places of all rows that are counted."""
        return [self.rows(n) for n in range(1, len(self.ones)) if self.is_counted(n)]

    def is_counted(self, operator: int) -> bool:
        return not self.ones[operator - 1] and not self._reaches_out(operator)

    def _reaches_out(self, operator: int) -> bool:
        """Whether every row of an operator is one of the output."""
        return all(self.ones[operator:])

    def given(self, counters: Sequence[int], rows: int) -> list[int]:
        """The rows into each operator, when so many came into the first."""
        found = [rows]
        for n in range(1, len(self.ones)):
            before = found[-1] if self.ones[n - 1] else int(counters[OUT])
            found.append(int(counters[self.rows(n)]) if self.is_counted(n) else before)
        return found

    def ticks(self, counters: Sequence[int], ticks: int) -> list[int]:
        """The ticks from each operator on, when so many went by in all."""
        return [ticks, *(int(counters[self.rows(n) + 2]) for n in range(1, len(self.ones)))]


@dataclass(frozen=True)
class StateTable:
    """The state of one operator: its keys, of so many words, and its fields.

    `key` and `carrier` turn a slot's words and fields into Python objects and back. With `logs`
    generated code keeps what the row changes, so that the row can be undone. A table that
    `is_inner` belongs to another one's state and is carried with it.
    """

    number: int
    operator: int
    words: int
    fields: tuple[StateField, ...]
    key: Key
    carrier: object
    logs: bool = True
    is_inner: bool = False

    @property
    def has_containers(self) -> bool:
        """Whether what it holds for a key may be many values."""
        return self.is_inner or any(f.width > 1 for f in self.fields)

    def array(self, name: str) -> str:
        return f"x{self.number}_{name}"

    @property
    def count(self) -> int:
        """The place in `c` of the number of keys; then those before this row; then of the log."""
        return FIRST_TABLE + PER_TABLE * self.number

    @property
    def noted(self) -> int:
        """The place of the row for which it was noted how many keys there were: where new keys are
        rare, that is not noted for each row."""
        return self.count + 3

    @property
    def is_noted(self) -> bool:
        return not self.is_inner

    @property
    def names(self) -> list[str]:
        own = ["index", "keys", "stamps", "touched", *(f.name for f in self.fields)]
        log = ["logged", *(f"log_{f.name}" for f in self.fields)] if self.logs else []
        return [self.array(name) for name in (*own, *log)]


def opening(table: StateTable, words: list[str]) -> list[str]:
    """The lines that find the key's slot, make it if it is new, and log what it holds.

    `here` is the slot as a number without a sign, which Numba never counts from the end; nor what
    it knows to have been such a number.
    """
    key = "".join(f"int64({w}), " for w in words) or "int64(0), "
    index, keys, stamps = map(table.array, ("index", "keys", "stamps"))
    find = f"find({index}, {keys}, ({key}))" if words else f"0 if c[{table.count}] else -1"
    new = f"{index}, {keys}, {stamps}, c[{table.count}], ({key}), stamp_of(stamps, i)"
    note = [f"    if c[{table.noted}] != c[{ROW}]:",
            f"        c[{table.noted}], c[{table.count + 1}] = c[{ROW}], c[{table.count}]"]
    return [f"slot = {find}", "if slot < 0:", *(note if table.is_noted else []),
            f"    slot = insert({new})",
            f"    c[{table.count}] = slot + 1", *_initial(table),
            "slot = int64(uint32(slot))", "here = uint64(slot)",
            f"if TRACKED: {table.array('touched')}[here] = True",
            *(_logging(table) if table.logs else [])]


def _initial(table: StateTable) -> list[str]:
    lines = []
    for f in table.fields:
        if f.width == 1:
            lines.append(f"    {table.array(f.name)}[slot] = {f.initial}")
        else:
            lines += [f"    for w in range({f.width}):",
                      f"        {table.array(f.name)}[slot * {f.width} + w] = {f.initial}"]
    return lines


def _logging(table: StateTable) -> list[str]:
    """What was there before goes into the log, so that the row can be undone."""
    logged = table.array("logged")
    lines = [f"m = int64(uint32(c[{table.count + 2}]))", f"if m == len({logged}): raise Full",
             f"{logged}[m] = slot"]
    for f in table.fields:
        log, held = table.array(f"log_{f.name}"), table.array(f.name)
        if f.width == 1:
            lines.append(f"{log}[m] = {held}[slot]")
        else:
            lines += [f"for w in range({f.width}):",
                      f"    {log}[m * {f.width} + w] = {held}[slot * {f.width} + w]"]
    return [*lines, f"c[{table.count + 2}] = m + 1"]


def arrays_for(shape: Shape, name: str) -> list[StateField]:
    """The arrays that hold a value, with nothing in them."""
    fields = []
    for place, leaf in leaves(shape, name):
        is_text = leaf.kind in CODED
        fields.append(StateField(place, HELD[leaf.kind], ZEROS[leaf.kind], is_text=is_text))
        fields += [StateField(flag(place), "bool", "False")] if leaf.flagged else []
    return fields


def codes_of(body: Body, shape: Shape) -> list[str]:
    """What stands in each array of a value."""
    return [code for _, leaf in leaves(shape, "") for code in body.passed(_place(leaf), leaf)]


def _place(leaf: Value) -> Value:
    """Elsewhere bytes stay the column that they are; a key is held."""
    return Value(leaf.kind, "?", leaf.none and "?") if leaf.kind == "bytes" else plain(leaf)


def kept(shape: Shape, name: str, read: Callable[[str], str]) -> Shape:
    """A value as it is read from its arrays."""
    if isinstance(shape, Rec):
        return Rec(shape.cls, {part: kept(inner, within(name, part), read)
                               for part, inner in shape.fields.items()})
    code = read(name)
    if not shape.none:
        return Value(shape.kind, code)
    return Value(shape.kind, code, read(flag(name)) if shape.flagged else f"({code} < 0)")


def key_words(body: Body, item: Shape, by: tuple[str, ...]) -> tuple[list[str], Key]:
    """The code of each word; a last word says which parts are None."""
    key = Key(*_parts(item, by))
    if not all(map(can_be_key, key.parts)):
        raise Unsupported("has a key that is neither a number, a text, bytes nor a time")
    words = [_word(part, body.code(part)) for part in key.scalars]
    flags = [f"(int64({p.none}) << {n})" for n, p in enumerate(key.scalars) if p.flagged]
    return [*words, " | ".join(flags)] if flags else words, key


def can_be_key(part: Shape | None) -> bool:
    """Whether it can be held as a key, or a part of one."""
    if isinstance(part, Rec):
        return issubclass(part.cls, Record) and all(map(can_be_key, part.fields.values()))
    return is_plain(part) or (isinstance(part, Value) and part.kind == "bytes")


def _parts(item: Shape, by: tuple[str, ...]) -> tuple:
    if by == WHOLE_ITEM:
        return (tuple(item.fields.values()), item.cls) if isinstance(item, Rec) else ((item,), None)
    if by and not isinstance(item, Rec):
        raise Unsupported("has a key that is no attribute of a record")
    return tuple(item.fields[name] for name in by), None


def _word(part: Value, code: str) -> str:
    word = f"float_word({code})" if part.kind == "float" else code
    return f"(0 if {part.none} else {word})" if part.flagged else word
