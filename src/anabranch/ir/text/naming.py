"""The names that need not be written: the reader and the printer must agree on every one.

Inputs and outputs choose first, because the user names them on the command line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from anabranch.errors import ProgramError
from anabranch.ir.operators import Kind, Routine, Sink, Source

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
