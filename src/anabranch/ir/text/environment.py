"""What the names of a `.river` text mean: functions, types, and variables' initial values."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from anabranch.errors import ProgramError, did_you_mean
from anabranch.ir.function import Function
from anabranch.ir.operators import Kind, Routine, Sink, Source
from anabranch.ir.text.syntax import Clause, Name, Named
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
        return self._named_type(item.name) if isinstance(item, Named) else item

    def has_initial(self, variable: str) -> bool:
        return variable in self.variables or variable.lstrip("$") in self.variables

    def initial(self, variable: str) -> Callable[[], object]:
        """A factory for the first value; a value that is no factory is copied at every start."""
        key = variable if variable in self.variables else variable.lstrip("$")
        value = self.variables[key]
        return value if callable(value) else partial(copy.deepcopy, value)

    def _named_type(self, name: Name) -> Type:
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

    def _bound(self, name: Name, kind: type[Kind], what: str) -> Kind:
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
