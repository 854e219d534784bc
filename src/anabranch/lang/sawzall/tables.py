"""The kinds of tables: what they take, and how they are folded."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.errors import ProgramError, did_you_mean
from anabranch.ir.types import FLOAT, INT, STR, Type
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.running import folds
from anabranch.lang.sawzall.types import BYTES, TIME, UINT, MapOf, TupleOf, is_ordered, plain, shown
from anabranch.source import Span


@dataclass(frozen=True)
class TableOf(Type):
    """The type of a table that is not declared yet."""

    node: syntax.TableKind = field(compare=False)

    def __str__(self) -> str:
        return f"table {self.node.kind}"


@dataclass(frozen=True)
class Rule:
    """A kind: its fold (None: every value is printed at once), and whether it needs a size and a
    weight."""

    fold: type[folds.Fold] | None
    sized: bool = False
    weighted: bool = False
    commutative: bool = True


PRINTED = ("distinctsample", "inversehistogram", "weightedsample", "bootstrapsum")
"""Kinds that are printed as they come, and not aggregated."""
KINDS = {
    "sum": Rule(folds.Sum),
    "collection": Rule(folds.Collection, commutative=False),
    "set": Rule(folds.Distinct, sized=True),
    "maximum": Rule(folds.Maximum, sized=True, weighted=True),
    "minimum": Rule(folds.Minimum, sized=True, weighted=True),
    "top": Rule(folds.Top, sized=True, weighted=True),
    "quantile": Rule(folds.Quantile, sized=True),
    "sample": Rule(folds.Sample, sized=True),
    "unique": Rule(folds.Unique, sized=True),
    "text": Rule(None),
    "mrcounter": Rule(None),
    "recordio": Rule(None, sized=True),
    **dict.fromkeys(PRINTED, Rule(None, sized=True, weighted=True)),
}


@dataclass(frozen=True)
class Table:
    """A table of a program; `number` tells it apart. `formats` and `names_file` are the Python
    functions of its attributes."""

    name: str
    number: int | str
    kind: str
    indices: tuple[Type, ...]
    value: Type
    weight: Type | None
    span: Span | None = field(compare=False)
    formats: str | None = None
    names_file: str | None = None

    @property
    def rule(self) -> Rule:
        return KINDS[self.kind]

    @property
    def shown_type(self) -> Type:
        """The type of what arrives: a format makes strings of the values."""
        return STR if self.formats else self.value


def check_kind(node: syntax.TableKind) -> Rule:
    """The rule of a kind of table, whose declaration has the parts that it needs."""
    name = str(node.kind)
    if name not in KINDS:
        raise ProgramError(f"there is no kind of table '{name}'", node.kind.span,
                           help=did_you_mean(name, KINDS))
    rule = KINDS[name]
    if rule.sized != (node.size is not None):
        raise ProgramError(f"a table of kind '{name}' {'needs a' if rule.sized else 'has no'} size",
                           node.kind.span, help=f"write {name}(10)" if rule.sized else None)
    if rule.weighted != (node.weight is not None):
        what = "needs a" if rule.weighted else "has no"
        raise ProgramError(f"a table of kind '{name}' {what} weight", node.span)
    return rule


def check_foldable(table: Table) -> None:
    """Refuses what cannot be aggregated, such as a sum of strings."""
    if table.kind in PRINTED:
        raise ProgramError(f"tables of kind '{table.kind}' cannot be aggregated", table.span,
                           help="leave --table-output out, or use another kind")
    if table.kind == "sum" and not _is_addable(table.value):
        raise ProgramError("this cannot be summed", table.span, got=shown(table.value),
                           expected="int, float or time, or a tuple or a map of them")
    if table.kind == "top" and not _is_numeric(table.weight):
        raise ProgramError("this cannot be the weight of a top table", table.span,
                           got=shown(table.weight), expected="int or float, or a tuple of them")
    if table.kind in ("maximum", "minimum") and not _is_comparable(table.weight):
        raise ProgramError("this cannot be a weight", table.span, got=shown(table.weight),
                           expected="what can be compared")
    if table.kind == "text" and (table.indices or table.shown_type not in (STR, BYTES)):
        raise ProgramError("a table of kind 'text' is one of strings or bytes, without an index",
                           table.span)


def _is_addable(kind: Type) -> bool:
    kind = plain(kind)
    if isinstance(kind, TupleOf):
        return all(map(_is_addable, kind.items))
    return _is_addable(kind.value) if isinstance(kind, MapOf) else kind in (INT, UINT, FLOAT, TIME)


def _is_numeric(kind: Type) -> bool:
    kind = plain(kind)
    return all(map(_is_numeric, kind.items)) if isinstance(kind, TupleOf) else \
        kind in (INT, UINT, FLOAT)


def _is_comparable(kind: Type) -> bool:
    kind = plain(kind)
    return all(map(_is_comparable, kind.items)) if isinstance(kind, TupleOf) else is_ordered(kind)
