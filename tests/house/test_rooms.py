"""Rooms: a folder has at most fifteen modules, and its docstring ends with the list of them.

`pytest --update-golden tests/house` writes the lists: the first line of each module's docstring.
"""

import ast
import re

import pytest

from house.modules import Module, packages, room

MOST = 15
WIDEST = 100
ENTRY = re.compile(r"    \w+(\.py|/)  +\S.*")


def entries(package: Module) -> list[str]:
    """The list of a package, in lines."""
    names = [module.name.rpartition(".")[2] + ("/" if module.is_package else ".py")
             for module in room(package)]
    width = max(map(len, names))
    return [f"    {name:{width}}  {module.summary.removesuffix('.')}"
            for name, module in zip(names, room(package))]


def stated(package: Module) -> list[str]:
    """The list at the end of its docstring."""
    found = []
    for line in reversed((ast.get_docstring(package.tree, clean=False) or "").rstrip().split("\n")):
        if not ENTRY.fullmatch(line):
            break
        found.insert(0, line)
    return found


def rewrite(package: Module) -> None:
    """Puts the right list at the end of a docstring, in place of the one that is there."""
    text = package.path.read_text()
    node = package.tree.body[0]
    lines = text.split("\n")
    head, rest = lines[:node.end_lineno], lines[node.end_lineno:]
    assert head[-1].endswith('"""'), f"{package.path}: its docstring ends in the middle of a line"
    prose = "\n".join(head).removesuffix('"""').rstrip().split("\n")
    while ENTRY.fullmatch(prose[-1]):
        prose.pop()
    prose = "\n".join(prose).rstrip().split("\n")
    package.path.write_text("\n".join([*prose, "", *entries(package), '"""', *rest]))


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_a_package_lists_what_stands_in_it(package, request):
    wrong = [module.name for module in room(package) if not module.summary.endswith(".")]
    assert not wrong, "the docstring of a module opens with one line, which is a sentence"
    wide = [line for line in entries(package) if len(line) > WIDEST]
    assert not wide, f"the first line of a docstring leaves no room for its list: {wide}"
    if request.config.getoption("--update-golden"):
        rewrite(package)
    else:
        assert stated(package) == entries(package), "pytest --update-golden tests/house"


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_a_room_is_not_crowded(package):
    inside = [module.name for module in room(package) if not module.is_package]
    assert len(inside) <= MOST, f"{len(inside)} modules: some of them are a room of their own"
