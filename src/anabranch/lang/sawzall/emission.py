"""Tables: their declarations, and what is emitted to them."""

from __future__ import annotations

from contextlib import nullcontext

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import BYTES, FLOAT, INT, STR, Type
from anabranch.lang.common.syntax import Literal, Name, Node, walk
from anabranch.lang.common.terms import Constant, Term, is_partial
from anabranch.lang.sawzall import conversion, syntax
from anabranch.lang.sawzall import functions as special
from anabranch.lang.sawzall.library import texts as formats
from anabranch.lang.sawzall.library.values import MOST_SIZE
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.tables import Table, TableOf, check_foldable
from anabranch.lang.sawzall.types import MapOf, holds, is_composite, parts, plain
from anabranch.lang.sawzall.variables import text_of

PLACES = {"file": "file_of", "proc": "command_of"}
"""What makes the place that an attribute of a table names."""


class Emitting:
    """The part of the generator that writes tables and emissions."""

    def declare_table(self, node: syntax.Variable, kind: TableOf) -> None:
        if node.value is not None:
            raise ProgramError("a table has no first value", node.value.span)
        number, known = len(self.tables), {table.name for table in self.tables}
        if str(node.name) in known:
            raise ProgramError(f"there is another table '{node.name}'", node.name.span)
        table = Table(str(node.name), number, kind.kind, kind.indices, kind.value, kind.weight,
                      node.span, f"emit_{number}", **self._attributes(kind, number),
                      node=kind.node)
        if table.names_file and table.shown_type not in (STR, BYTES):
            raise ProgramError("a table with a file or a command is one of bytes, or has a format",
                               node.span)
        if table.names_file and table.kind != "collection":
            raise ProgramError("only a collection goes to a file or to a command", node.span)
        self.names.declare(node.name, table)
        self.tables.append(table)
        with self.static():
            if self.folding and not table.names_file:
                check_foldable(table)
            self._emitter(table, kind.node, self._folds(table))

    def _folds(self, table: Table) -> bool:
        return self.folding and table.rule.fold is not None and not table.names_file

    def _emitter(self, table: Table, kind: syntax.TableKind, folds: bool) -> None:
        """Writes what makes the emitter of a table, once its size is known."""
        size = "None" if kind.size is None else self._size(kind.size)
        named = self.converter.named
        if folds:
            how, fold = "gathers" if _gathers(table) else "folds", named("fold", table.rule.fold)
            made = f"counts({table.number})" if _counts(table) else \
                f"{how}({table.number}, {fold}, {size})"
        else:
            keys = ", ".join(named("show", conversion.emitted(t)) for t in table.indices)
            value = named("show", conversion.emitted(table.shown_type))
            weight = "None" if table.weight is None else named(
                "show", conversion.emitted(table.weight))
            made = f"prints({table.name!r}, [{keys}], {value}, {weight})"
        self.lines.add(f"{table.emitter} = {made}", table.span)

    def _size(self, node: Node) -> str:
        term = self.checker.check_as(node, INT)
        if isinstance(term, Constant) and not 0 <= term.value <= MOST_SIZE:
            raise ProgramError("this cannot be the size of a table", node.span,
                               expected=f"0 to {MOST_SIZE}", got=str(term.value))
        return f"sized({text_of(term)})"

    def _attributes(self, kind: TableOf, number: int) -> dict:
        """The functions of `format`, and of `file` or `proc`, which know the element, and the
        indices."""
        found, node = {}, kind.node
        for name, arguments in node.attributes:
            parts, types = ([node.value], [kind.value]) if name == "format" else \
                (node.indices, kind.indices)
            text = f"{name}_{number}"
            self._attribute(text, parts, types, arguments, node, PLACES.get(name))
            found["formats" if name == "format" else "names_file"] = text
        return found

    def _attribute(self, text: str, parts, types, arguments: tuple[Node, ...],
                   kind: syntax.TableKind, place: str | None) -> None:
        self.names.open()
        names = []
        for part, item in zip(parts, types):
            names.append(self.names.python_name("part" if part.name is None else part.name))
            if part.name is not None:
                self.names.declare(part.name, Local(item, names[-1], self.around.depth))
        value = text_of(special.formatted(self.checker, arguments, kind))
        if place is not None:
            value = f"{place}({', '.join((value, *self._put_in(arguments)))})"
        self.names.close()
        reached = self.static() if self._are_static(arguments, parts) else nullcontext()
        with reached:
            self.lines.add(f"def {text}({', '.join(names)}): return {value}", kind.span)

    def _are_static(self, nodes: tuple[Node, ...], parts) -> bool:
        """Whether nothing is used but static values, and the parts of what is emitted."""
        own = {str(part.name) for part in parts}
        named = {str(n) for n in walk(nodes) if isinstance(n, Name)} - own
        found = [self.names.get(name) for name in named]
        return all(local.static for local in found if isinstance(local, Local))

    def _put_in(self, arguments: tuple[Node, ...]) -> list[str]:
        """The values that come into the pattern of a file's name or of a command."""
        pattern, *values = arguments
        if not isinstance(pattern, Literal):
            raise ProgramError("the program itself says where a table goes", pattern.span,
                               expected="a text that is written down here",
                               help="put values into it with %s: file(\"%s.txt\", k)")
        if any(verb[1] == "c" for verb in formats.verbs(pattern.value)):
            raise ProgramError("a place has no single characters in it", pattern.span, got="%c",
                               help="put texts into it with %s, numbers with %d")
        return [text_of(self.checker.value(value)) for value in values]

    def write_emit(self, node: syntax.Emit) -> None:
        table, keys = self._target(node.target)
        value = self.checker.check_as(node.value, table.value)
        weight = self._weight(node, table)
        texts = [[text_of(k) for k in keys], text_of(value),
                 "None" if weight is None else text_of(weight)]
        texts = _frozen(table, *texts) if self._folds(table) else texts
        terms = [*keys, value, *([] if weight is None else [weight])]
        with self.attempted(any(map(is_partial, terms)) or bool(table.formats), node.span):
            if self._folds(table) and _counts(table) and not table.formats \
                    and isinstance(table.number, int):
                self._count(table, texts[0], texts[1], node.span)
            else:
                self.lines.add(_emission(table, *texts), node.span)

    def _count(self, table: Table, keys: list[str], value: str, span: Span) -> None:
        """Adds to a sum at once: no function need be called for that."""
        sums, key = self._sums_of(table), self.names.python_name("key")
        given = keys[0] if len(keys) == 1 else f"({''.join(f'{each}, ' for each in keys)})"
        self.lines.add(f"{key} = {given}", span)
        self.lines.add(f"{sums}[{key}] = {sums}.get({key}, 0) + {value}", span)

    def _sums_of(self, table: Table) -> str:
        """The name of the sums of a table; it is found once for a record, or for a call."""
        if table.number not in self.around.sums:
            text = self.around.sums[table.number] = self.names.python_name("sums")
            where = "bare" if len(table.indices) == 1 else "sums"
            self.around.heads.append(f"{text} = run.{where}[{table.number}]")
        return self.around.sums[table.number]

    def _target(self, node: Node) -> tuple[Table, list[Term]]:
        indices = []
        while isinstance(node, syntax.Item):
            indices.insert(0, node.index)
            node = node.value
        table = self.names.find(node) if isinstance(node, Name) else None
        if not isinstance(table, Table):
            raise ProgramError("this is not a table", node.span)
        if len(indices) != len(table.indices):
            raise ProgramError(f"'{node}' has another number of indices", node.span,
                               expected=str(len(table.indices)), got=str(len(indices)))
        return table, [self.checker.check_as(i, t) for i, t in zip(indices, table.indices)]

    def _weight(self, node: syntax.Emit, table: Table) -> Term | None:
        if (node.weight is None) != (table.weight is None):
            raise ProgramError(f"'{table.name}' is declared " + (
                "with a weight" if node.weight is None else "without a weight"), node.span)
        return None if node.weight is None else self.checker.check_as(node.weight, table.weight)


def _emission(table: Table, keys: list[str], value: str, weight: str) -> str:
    """The Python call that emits."""
    value = f"{table.formats}({value})" if table.formats else value
    if table.names_file:
        return f"writes(run, {table.names_file}({', '.join(keys)}), {value})"
    return f"{table.emitter}(run, ({''.join(f'{key}, ' for key in keys)}), {value}, {weight})"


def passed(table: Table) -> str:
    """The Python function that takes what is emitted to a table where it is an argument."""
    if not table.formats and not table.names_file:
        return table.emitter
    keys = [f"key[{place}]" for place in range(len(table.indices))]
    return f"(lambda run, key, value, weight: {_emission(table, keys, 'value', 'weight')})"


def _frozen(table: Table, keys: list[str], value: str, weight: str) -> tuple:
    """What is emitted, so that it cannot change any more."""
    return (list(map(_kept, keys, table.indices)), _kept(value, table.shown_type),
            _kept(weight, table.weight or table.value))


def _kept(text: str, kind: Type) -> str:
    if text == "None" or not is_composite(kind):
        return text
    flat = not isinstance(plain(kind), MapOf) and not any(map(is_composite, parts(plain(kind))))
    return f"tuple({text})" if flat else f"frozen({text})"


def _gathers(table: Table) -> bool:
    """Whether equal values are the same in every way, so that they can be counted before they are
    folded: floats may be equal, and be zeros of different signs. Of what is light or heavy, most
    is passed over at once."""
    kinds = (*table.indices, table.shown_type, table.weight or table.value)
    return table.rule.commutative and table.kind not in ("sum", "maximum", "minimum") and not any(
        holds(kind, FLOAT) for kind in kinds)


def _counts(table: Table) -> bool:
    """Whether a table adds up integers for keys that never change."""
    return table.kind == "sum" and plain(table.value) == INT and \
        not any(map(is_composite, table.indices))
