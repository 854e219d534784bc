"""What the names in a `.river` text mean, and which names a graph's text needs.

`Environment` looks up functions, types and initial values of variables; `vocabulary` gives a
graph's kinds, record classes and initial values names of their own. Some names need not be written:
the reader and the printer must agree on every one. Inputs and outputs choose first, because the
user names them on the command line.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph
from anabranch.ir.operators import Kind, Routine, Sink, Source
from anabranch.ir.text.syntax import Clause, NamedType, RiverName
from anabranch.ir.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    TIMESTAMP,
    ListOf,
    OptionalOf,
    RecordOf,
    Type,
    type_of,
)

SCALARS = {t.name: t for t in (BOOL, INT, FLOAT, STR, BYTES, TIMESTAMP, NONE)}


@dataclass(frozen=True)
class Environment:
    """The meanings that `parse` was given; every look-up that fails underlines the name's use."""

    functions: Mapping[str, object]
    variables: Mapping[str, object]

    def kind(self, clause: Clause) -> Kind:
        """The kind of the operator, input or output that a clause stands for."""
        return _KINDS[clause.form](self, clause)

    def type(self, item: Type) -> Type:
        if isinstance(item, ListOf):
            return ListOf(self.type(item.item))
        if isinstance(item, OptionalOf):
            return OptionalOf(self.type(item.item))
        return self._named_type(item.name) if isinstance(item, NamedType) else item

    def has_initial(self, variable: str) -> bool:
        return variable in self.variables or variable.lstrip("$") in self.variables

    def initial(self, variable: str) -> Callable[[], object]:
        """A factory for the first value; a value that is no factory is copied at every start."""
        key = variable if variable in self.variables else variable.lstrip("$")
        value = self.variables[key]
        return value if callable(value) else partial(copy.deepcopy, value)

    def _named_type(self, name: RiverName) -> Type:
        if name.text in SCALARS:
            return SCALARS[name.text]
        if not _is_type(self.functions.get(name.text)):
            types = [n for n, value in self.functions.items() if _is_type(value)]
            raise ProgramError(f"no type is called '{name.text}'", name.span,
                               help=did_you_mean(name.text, [*types, *SCALARS]))
        return type_of(self.functions[name.text])

    def _input(self, clause: Clause) -> Kind:
        if clause.function is None:
            return Source(time=clause.time.text if clause.time else None)
        return self._bound(clause.function, Source, "source")

    def _output(self, clause: Clause) -> Kind:
        return self._bound(clause.function, Sink, "sink") if clause.function else Sink()

    def _bound(self, name: RiverName, kind: type[Kind], what: str) -> Kind:
        value = self.functions.get(name.text)
        if not isinstance(value, kind):
            known = [n for n, v in self.functions.items() if isinstance(v, kind)]
            raise ProgramError(f"no {what} is called '{name.text}'", name.span,
                               help=did_you_mean(name.text, known))
        return value

    def _operator(self, clause: Clause) -> Kind:
        name = clause.function
        value = self.functions.get(name.text)
        if isinstance(value, (Source, Sink)):
            word = "input ... from" if isinstance(value, Source) else "output ... to"
            raise ProgramError(f"'{name.text}' is a {value.label}, not a function", name.span,
                               help=f"write `{word} {name.text};`")
        if not _is_function(value):
            raise ProgramError(f"no function is called '{name.text}'", name.span,
                               help=did_you_mean(name.text, self._function_names()))
        return _routine(value, clause) if _is_routine(value) else value

    def _function_names(self) -> Iterator[str]:
        return (name for name, value in self.functions.items()
                if _is_function(value) and not isinstance(value, (Source, Sink)))


_KINDS = {"input": Environment._input, "output": Environment._output,
          "operator": Environment._operator}


def _is_type(value: object) -> bool:
    return isinstance(value, Type) or hasattr(value, "__record_fields__")


def _is_function(value: object) -> bool:
    return isinstance(value, Kind) or (callable(value) and not isinstance(value, type))


def _is_routine(value: object) -> bool:
    return isinstance(value, Routine) or not isinstance(value, Kind)


def _routine(value: Routine | Callable, clause: Clause) -> Routine:
    """A function in Brooklet's form, with the variables that this clause gives to it."""
    reads, writes = ([n.text for n in names] for names in (clause.reads, clause.writes))
    variables = list(dict.fromkeys(reads + writes))
    counts = {"reads": len(reads), "written": tuple(variables.index(v) for v in writes)}
    if isinstance(value, Routine):
        return replace(value, **counts)
    return Routine(replace(Function.of(value), name=clause.function.text), **counts)


@dataclass(frozen=True)
class Vocabulary:
    """The function's name of each operator that shows one, the records' names, and all meanings."""

    functions: dict[str, str]
    records: dict[type, str]
    meanings: dict[str, object]


def functions_of(graph: Graph) -> dict[str, object]:
    """What `parse` needs to read the graph's text again: its kinds, its record classes, and the
    initial values of its variables (under `$name`)."""
    return vocabulary(graph).meanings


def vocabulary(graph: Graph) -> Vocabulary:
    """A name of its own for everything; operators that share a kind share its name."""
    meanings: dict[str, object] = {}
    known: dict[object, str] = {}

    def name(key: object, base: str, meaning: object) -> str:
        if key not in known:
            known[key] = fresh(base, meanings.keys() | SCALARS.keys())
            meanings[known[key]] = meaning
        return known[key]

    functions = {op.name: name(_identity(op.kind), _base(op.kind), op.kind)
                 for op in graph if not is_unbound(op.kind)}
    records = {cls: name(cls, cls.__name__, cls) for q in graph.queues for cls in _records(q.type)}
    return Vocabulary(functions, records, meanings | {v.name: v.initial for v in graph.variables})


def is_unbound(kind: Kind) -> bool:
    """Whether `input` or `output` alone says it all."""
    return kind == Sink() or (isinstance(kind, Source) and kind == Source(time=kind.time))


def _identity(kind: Kind) -> object:
    # A routine's counts of variables are in the text, so only its function matters. Other kinds
    # are told apart by identity: equality may leave fields out, and a field may have no hash.
    return (id(kind.function.call), kind.function.name) if isinstance(kind, Routine) else id(kind)


def _base(kind: Kind) -> str:
    """`SelectIBM` for a routine, `filter.is_adult` or `filter` for other kinds.

    A name from the user's code is taken only if it can be written as it is.
    """
    function = kind.functions[0].name if kind.functions else ""
    if not PLAIN.fullmatch(function):
        return kind.label
    return function if isinstance(kind, Routine) else f"{kind.label}.{function}"


def _records(item: Type) -> Iterator[type]:
    if isinstance(item, RecordOf):
        yield item.cls
    elif isinstance(item, (ListOf, OptionalOf)):
        yield from _records(item.item)


PLAIN = re.compile(r"[^\W\d][\w.@]*")


@dataclass(frozen=True)
class Wanted:
    """An operator that needs a name: its kind, function and queues as written, a name if given."""

    kind: Kind
    function: str | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str | None

    @property
    def is_end(self) -> bool:
        return isinstance(self.kind, (Source, Sink))

    @property
    def base(self) -> str:
        if self.is_end:
            return (self.outputs + self.inputs)[0]
        if isinstance(self.kind, Routine) or not self.outputs:
            return self.function
        return self.outputs[0].removesuffix(".0")


def default_names(operators: Sequence[Wanted]) -> list[str]:
    """The name of each operator, were none written at it."""
    defaults, taken = [""] * len(operators), set()
    for index in sorted(range(len(operators)), key=lambda i: not operators[i].is_end):
        defaults[index] = fresh(operators[index].base, taken)
        taken.add(operators[index].name or defaults[index])
    return defaults


def fresh(base: str, taken: Collection[str]) -> str:
    """The name itself, or the first numbered one that is free.

    >>> fresh("a", {"a", "a_2"})
    'a_3'
    """
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    return name


def written(name: str) -> str:
    """A name as it stands in the text.

    >>> written("split.0"), written("my file"), written("$my file")
    ('split.0', '`my file`', '$`my file`')
    """
    if name.startswith("$"):
        return "$" + (name[1:] if re.fullmatch(r"[\w.@]+", name[1:]) else written(name[1:]))
    if PLAIN.fullmatch(name):
        return name
    if not name or set(name) & {"`", "\n"}:
        raise ProgramError(f"the name {name!r} cannot be written in River text")
    return f"`{name}`"
