"""The kinds of tables: what they take, and how they are folded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.types import BYTES, FLOAT, INT, STR, Type
from anabranch.lang.common.syntax import Literal
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.library import folds, samples
from anabranch.lang.sawzall.library import samples as bootstraps
from anabranch.lang.sawzall.library import samples as estimates
from anabranch.lang.sawzall.types import (
    FINGERPRINT,
    TIME,
    UINT,
    MapOf,
    TupleOf,
    is_alike,
    is_ordered,
    is_recursive,
    plain,
    shown,
)


@dataclass(frozen=True)
class TableOf(Type):
    """The type of a table."""

    kind: str
    indices: tuple[Type, ...]
    value: Type
    weight: Type | None
    node: syntax.TableKind = field(compare=False, repr=False)

    def __str__(self) -> str:
        indices = "".join(f"[{shown(t)}]" for t in self.indices)
        weight = "" if self.weight is None else f" weight {shown(self.weight)}"
        return f"table {self.kind}{indices} of {shown(self.value)}{weight}"


@dataclass(frozen=True)
class Rule:
    """A kind: its fold (None: every value is printed at once), and whether it needs a size and a
    weight."""

    fold: type[folds.Fold] | None
    sized: bool = False
    weighted: bool = False
    commutative: bool = True


KINDS = {
    "sum": Rule(folds.Sum),
    "collection": Rule(folds.Collection, commutative=False),
    "set": Rule(folds.Distinct, sized=True),
    "maximum": Rule(folds.Maximum, sized=True, weighted=True),
    "minimum": Rule(folds.Minimum, sized=True, weighted=True),
    "top": Rule(folds.Top, sized=True, weighted=True),
    "quantile": Rule(estimates.Quantile, sized=True),
    "sample": Rule(estimates.Sample, sized=True),
    "unique": Rule(estimates.Unique, sized=True),
    "text": Rule(None),
    "mrcounter": Rule(None),
    "recordio": Rule(None, sized=True),
    "distinctsample": Rule(samples.DistinctSample, sized=True, weighted=True),
    "inversehistogram": Rule(samples.InverseHistogram, sized=True, weighted=True),
    "weightedsample": Rule(samples.WeightedSample, sized=True, weighted=True),
    "bootstrapsum": Rule(bootstraps.BootstrapSum, sized=True, weighted=True),
}


@dataclass(frozen=True)
class Table:
    """A table of a program; `number` tells it apart, and `emitter` is the Python function that all
    emitted values go to. `formats` and `names_file` are those of its attributes."""

    name: str
    number: int | str
    kind: str
    indices: tuple[Type, ...]
    value: Type
    weight: Type | None
    span: Span | None = field(compare=False)
    emitter: str
    formats: str | None = None
    names_file: str | None = None
    node: syntax.TableKind | None = field(default=None, compare=False, repr=False)

    def is_a(self, wanted: TableOf) -> bool:
        """Whether it can stand where a table of a type is wanted."""
        return self.kind == wanted.kind and len(self.indices) == len(wanted.indices) and \
            (self.weight is None) == (wanted.weight is None) and all(
                map(is_alike, (*self.indices, self.value, self.weight or self.value),
                    (*wanted.indices, wanted.value, wanted.weight or wanted.value))) and (
                self.node is None or _fits(self.node, wanted.node))

    @property
    def rule(self) -> Rule:
        return KINDS[self.kind]

    @property
    def shown_type(self) -> Type:
        """The type of what arrives: a format makes strings of the values."""
        return STR if self.formats else self.value


def _fits(node: syntax.TableKind, wanted: syntax.TableKind) -> bool:
    """Whether nothing that a type of tables says is said otherwise by a table: its size, the names
    of its indices and of its element, and its attributes."""
    sizes = [each.size for each in (node, wanted) if isinstance(each.size, Literal)]
    names = [(own.name, other.name) for own, other in zip(
        (*node.indices, node.value), (*wanted.indices, wanted.value))]
    attributes = [[(name, len(given)) for name, given in each.attributes]
                  for each in (node, wanted)]
    return sizes[:1] == sizes[-1:] and attributes[1] in ([], attributes[0]) and not any(
        own and other and str(own) != str(other) for own, other in names)


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
    takes = VALUES.get(table.kind)
    if takes and not takes.holds(table.value):
        what = "have quantiles" if table.kind == "quantile" else "be summed"
        raise ProgramError(f"this cannot {what}", table.span, got=shown(table.value),
                           expected=takes.expected)
    takes = WEIGHTS.get(table.kind)
    if takes and not takes.holds(table.weight):
        raise ProgramError(f"this cannot be the weight of a table of kind '{table.kind}'",
                           table.span, got=shown(table.weight), expected=takes.expected)
    if table.kind == "mrcounter" and (table.indices or plain(table.shown_type) != INT):
        raise ProgramError("a table of kind 'mrcounter' is one of integers, without an index",
                           table.span)
    if any(map(is_recursive, (*table.indices, table.value, table.weight or table.value))):
        raise ProgramError("a table has no type that stands in its own definition", table.span)
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


@dataclass(frozen=True)
class Takes:
    """Which types a table takes, and how they are called."""

    holds: Callable[[Type], bool]
    expected: str


ADDABLE = Takes(_is_addable, "int, float or time, or a tuple or a map of them")
NUMERIC = Takes(_is_numeric, "int or float, or a tuple of them")
COMPARABLE = Takes(_is_comparable, "what can be compared")
VALUES = {"sum": ADDABLE, "bootstrapsum": NUMERIC, "quantile": COMPARABLE}
WEIGHTS = {
    "top": NUMERIC, "maximum": COMPARABLE, "minimum": COMPARABLE,
    **dict.fromkeys(("distinctsample", "inversehistogram"),
                    Takes(lambda kind: _is_addable(kind) and _is_comparable(kind),
                          "int, float or time, or a tuple of them")),
    "weightedsample": Takes(lambda kind: plain(kind) in (INT, FLOAT), "int or float"),
    "bootstrapsum": Takes(lambda kind: plain(kind) == FINGERPRINT, "fingerprint"),
}
