"""The modules of the package as they stand in its files: docstrings, imports, rooms, storeys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from anabranch.core.once import once

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"

STOREYS = ("core", "ir", "expr", "analysis", "plan.tuning", "plan.logical", "io", "batch",
           "kernels", "plan.sync", "plan.physical", "runtime", "api", "lang", "compile", "engine",
           "explain", "report", "check", "testing", "lsp", "cli")
"""From the ground up. What is imported when a module is imported stands on its storey or below."""
ROOF = len(STOREYS)
"""`anabranch` itself and `python -m anabranch`, which gather what users see."""

NAMED = re.compile(r"anabranch(?:\.\w+)+")
"""A module that a text names: generated code, and the languages by their extensions."""


@dataclass(frozen=True)
class Module:
    """A file of the package."""

    name: str
    path: Path

    @once
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text())

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (ast.get_docstring(self.tree) or "").partition("\n")[0]

    @property
    def storey(self) -> int:
        inner = self.name.removeprefix("anabranch").lstrip(".")
        return next((number for number, storey in enumerate(STOREYS)
                     if inner == storey or inner.startswith(storey + ".")), ROOF)

    @once
    def needs(self) -> set[str]:
        """The modules that are imported when it is."""
        return set(_imported(_at_once(self.tree)))

    @once
    def reaches(self) -> set[str]:
        """Those that it imports at any time, or names in a text that is no docstring."""
        return set(_imported(ast.walk(self.tree))) | set(self._texts())

    def _texts(self) -> Iterator[str]:
        docs = {id(node.value) for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and (
                    id(node) not in docs):
                yield from filter(None, map(owner, NAMED.findall(node.value)))


@cache
def modules() -> dict[str, Module]:
    """All modules of the package, by their names."""
    found = {}
    for path in sorted((SOURCE / "anabranch").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path)
    return found


def packages() -> list[Module]:
    return [module for module in modules().values() if module.is_package]


def room(package: Module) -> list[Module]:
    """What stands in a package: its modules, then its sub-packages."""
    inside = [module for name, module in modules().items()
              if name.rpartition(".")[0] == package.name]
    return sorted(inside, key=lambda module: (module.is_package, module.name))


def owner(name: str) -> str | None:
    """The module that a dotted name is, or lies in."""
    while name:
        if name in modules():
            return name
        name = name.rpartition(".")[0]
    return None


def _at_once(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported: not those in functions, or for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _at_once(node)


def _imported(nodes: Iterator[ast.AST]) -> Iterator[str]:
    for node in nodes:
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.partition(".")[0] == "anabranch":
                yield owner(name)
