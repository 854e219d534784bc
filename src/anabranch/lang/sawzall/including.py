"""Included files: their statements in the place of `include "file"`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from anabranch.errors import ProgramError
from anabranch.lang.common.syntax import Node
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.changing import every_node
from anabranch.lang.sawzall.reading import read


@dataclass
class Inclusion:
    """A program while its files are read, each of them once. What is not beside the file that
    includes it is looked for in the `folders`."""

    zone: str
    folders: tuple[str, ...] = ()
    seen: set[str] = field(default_factory=set)

    def statements_of(self, text: str, file: str) -> tuple[Node, ...]:
        """The statements of a file, with those of the files that it includes."""
        self.seen.add(os.path.realpath(file))
        return self._spliced(read(text, file, self.zone), Path(file).parent)

    def _spliced(self, nodes: tuple[Node, ...], folder: Path) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, syntax.Include):
                found += self._included(node, folder)
            else:
                found.append(self._within(node, folder) if _includes(node) else node)
        return tuple(found)

    def _within(self, value: object, folder: Path) -> object:
        """The same inside of a statement; where there is room for one, many become a block."""
        if isinstance(value, tuple):
            return self._spliced(value, folder) if all(isinstance(v, Node) for v in value) else \
                tuple(self._within(v, folder) for v in value)
        if isinstance(value, syntax.Include):
            return syntax.Block(value.span, self._included(value, folder))
        return value if not isinstance(value, Node) else replace(value, **{
            each.name: self._within(getattr(value, each.name), folder) for each in fields(value)})

    def _included(self, node: syntax.Include, folder: Path) -> tuple[Node, ...]:
        path = self._found(node.path, folder)
        if os.path.realpath(path) in self.seen:
            return ()
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ProgramError(f"'{path}' cannot be included: {error}", node.span,
                               help="--include-path names more folders to look in") from None
        return self.statements_of(text, str(path))

    def _found(self, path: str, folder: Path) -> Path:
        places = [Path(each) / path for each in (folder, *self.folders)]
        return next(filter(os.path.isfile, places), places[0])


def _includes(node: Node) -> bool:
    return any(isinstance(each, syntax.Include) for each in every_node(node))
