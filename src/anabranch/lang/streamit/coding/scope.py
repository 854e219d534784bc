"""What names mean while a function is coded, and what the function may do."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.types import (
    PRIMITIVES,
    SEED,
    VOID,
    ArrayOf,
    PortalOf,
    StructOf,
    Type,
    base_of,
)


@dataclass(frozen=True)
class Variable:
    """A variable of the program: how the generated text names it."""

    text: str
    type: Type
    constant: bool = False


@dataclass(frozen=True)
class Signature:
    """A function of the program: how it is called, and which of its parameters it changes."""

    text: str
    parameters: tuple[Type, ...]
    result: Type
    extra: tuple[str, ...] = ()
    changes: frozenset[int] = frozenset()


@dataclass
class Scope:
    """Names, with those of the enclosing block behind them."""

    outer: Scope | None = None
    names: dict[str, Variable] = field(default_factory=dict)

    def find(self, name: str) -> Variable | None:
        found = self.names.get(name)
        return self.outer.find(name) if found is None and self.outer is not None else found

    def get(self, name: str, span: Span) -> Variable:
        found = self.find(name)
        if found is None:
            raise ProgramError(f"nothing is called '{name}'", span,
                               help=did_you_mean(name, self.all()))
        return found

    def declare(self, name: str, variable: Variable, span: Span) -> Variable:
        if name in self.names:
            raise ProgramError(f"'{name}' is declared twice", span)
        self.names[name] = variable
        return variable

    def all(self) -> dict[str, Variable]:
        return {**(self.outer.all() if self.outer else {}), **self.names}


@dataclass(frozen=True)
class Kinds:
    """The types that a program knows by name, and the filters that portals may be for."""

    structs: dict[str, StructOf]
    filters: dict[str, syntax.Filter] = field(default_factory=dict)

    def of(self, text: syntax.TypeText, may_be_void: bool = False) -> Type:
        """The type of a type's text; a `ProgramError` when there is none of this name."""
        if text.portal:
            return self._portal(text)
        if text.name == "void" and may_be_void:
            return VOID
        found = PRIMITIVES.get(text.name) or self.structs.get(text.name)
        if found is None:
            raise ProgramError(f"there is no type '{text.name}'", text.span,
                               help=did_you_mean(text.name, [*PRIMITIVES, *self.structs]))
        for length in reversed(text.lengths):
            found = ArrayOf(found, length)
        return found


    def _portal(self, text: syntax.TypeText) -> PortalOf:
        if text.name not in self.filters:
            raise ProgramError(f"no filter is called '{text.name}'", text.span,
                               help=did_you_mean(text.name, self.filters))
        handlers = self.filters[text.name].handlers
        return PortalOf(text.name, {each.name: tuple(self.of(p.type) for p in each.parameters)
                                    for each in handlers})


@dataclass(frozen=True)
class Tape:
    """The tapes that a function uses, and how the text names its places on them."""

    input: Type
    output: Type
    read: str = "p"
    write: str = "q"


def is_plain(type: Type) -> bool:
    """Whether compiled code can hold it: a number, a boolean, a structure, or an array of them."""
    return base_of(type) in (*PRIMITIVES.values(), VOID, SEED) or isinstance(
        base_of(type), StructOf)
