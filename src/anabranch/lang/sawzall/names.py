"""What names mean in a program: variables, tables and types, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anabranch.errors import ProgramError, did_you_mean
from anabranch.ir.types import Type
from anabranch.lang.common.syntax import Name


@dataclass(frozen=True)
class Local:
    """A variable; `text` is its Python name, `depth` counts the functions around it, and `unsure`
    says that it may have no value. A quantifier is `spent` where it has no value of its own. One
    that counts is an index `within` variables by these Python names, and `natural` if never
    negative."""

    type: Type
    text: str
    depth: int = 0
    static: bool = False
    unsure: bool = False
    quantifies: bool = False
    spent: bool = False
    natural: bool = False
    within: frozenset[str] = frozenset()


@dataclass(frozen=True)
class TypeMeaning:
    type: Type


class Names:
    """A stack of blocks; names are found from the innermost on, and are as they are spelt."""

    def __init__(self, universe: dict[str, object]):
        self.blocks: list[dict[str, object]] = [universe]
        self.taken = 0

    def open(self, block: dict[str, object] | None = None) -> None:
        self.blocks.append({} if block is None else block)

    def close(self) -> dict[str, object]:
        return self.blocks.pop()

    def get(self, name: str) -> object | None:
        return next((b[name] for b in reversed(self.blocks) if name in b), None)

    def find(self, name: Name) -> object:
        found = self.get(str(name))
        if found is None:
            raise ProgramError(f"there is no name '{name}'", name.span,
                               help=close_to(str(name), sorted(set(self))))
        return found

    def declare(self, name: Name, meaning: object) -> None:
        if str(name) in self.blocks[-1]:
            raise ProgramError(f"'{name}' is declared twice in this block", name.span)
        self.blocks[-1][str(name)] = meaning

    def python_name(self, name: object) -> str:
        """A Python name that nothing else has."""
        self.taken += 1
        return f"{str(name).replace('.', '_')}_{self.taken}"

    def __iter__(self) -> Iterator[str]:
        return (name for block in self.blocks for name in block)


def close_to(name: str, known: Iterable[str]) -> str | None:
    """A suggestion for a misspelt name; there are too many names to list them all."""
    found = did_you_mean(name, known)
    return found if found and found.startswith("did") else None
