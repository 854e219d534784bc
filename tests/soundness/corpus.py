"""Functions that hide state (`hostile/`) and functions that do not (`innocent/`), as programs.

A module of either folder is one class of them, written as a user would write it. The beginning of
a function's name says what it is used for: `map_`, `filter_`, `flat_map_`, or `apply_` of an
operator with state for each `key`. Its items are `ITEMS`, or what its module's `USES` names for it.

- `items.py`      the records that the functions are given
- `corpus.py`     the cases, and the program of one operator that each is
- `observe.py`    what a function gives in order, and dealt over processes: the hostile ones differ
- `hostile/`      each depends on what it was called with before, or on who else holds its items
- `innocent/`     each depends on its item alone, or on the state of its key
- `helpers/`      modules that the functions import

`hostile/between_operators.py` has pairs instead: what one changes, the other reads.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import anabranch as ab
from anabranch.analysis.fact import Fact, StateKind, StateOf
from anabranch.analysis.facts.summary import analyse
from soundness.items import ITEMS

FOLDER = Path(__file__).parent
KINDS = ("map", "filter", "flat_map", "apply")
PARALLEL = (StateKind.STATELESS, StateKind.PARTITIONED)

_copies = itertools.count(1)


@dataclass(frozen=True)
class Case:
    """One function, by the names of its folder, its module and itself."""

    folder: str
    module: str
    name: str

    @property
    def kind(self) -> str:
        return next(kind for kind in KINDS if self.name.startswith(f"{kind}_"))

    def __str__(self) -> str:
        return f"{self.module}-{self.name}"

    def load(self) -> tuple[Callable, list]:
        """The function and its items, of a copy of its module that nobody has used."""
        return self.of(fresh(self.folder, self.module))

    def of(self, module) -> tuple[Callable, list]:
        return getattr(module, self.name), getattr(module, "USES", {}).get(self.name, ITEMS)


def fresh(folder: str, name: str):
    """A module that is executed once more, under a name of its own; so are the helpers."""
    for helper in [each for each in sys.modules if each.startswith("soundness.helpers")]:
        del sys.modules[helper]
    path = FOLDER / folder / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{folder}_{name}_{next(_copies)}", path)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses, enums and pickle look for the module of a class by its name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def cases(folder: str) -> list[Case]:
    """All cases of a folder, in the order of their modules and of their texts."""
    paths = sorted((FOLDER / folder).glob("*.py"))
    return [Case(folder, path.stem, name)
            for path in paths for name in vars(read(folder, path.stem))
            if name.startswith(tuple(f"{kind}_" for kind in KINDS))]


def program(case: Case, call: Callable, items: list) -> ab.Stream:
    """The stream of the one operator `op` over the items."""
    source = ab.from_iterable(items, type(items[0]))
    return getattr(source, case.kind)(call, name="op")


@cache
def read(folder: str, name: str):
    """A module whose functions are only read: one copy is enough."""
    return fresh(folder, name)


@cache
def state_of(case: Case) -> Fact[StateOf]:
    """What is found of the operator's state."""
    return analyse(program(case, *case.of(read(case.folder, case.module))).graph())["op"].state


def table(wrong: dict[Case, bool]) -> str:
    """How many cases of each module there are, and how many of them are wrong."""
    lines = [f"{'class':28}{'total':>7}{'wrong':>7}"]
    for module, group in itertools.groupby(wrong, key=lambda case: case.module):
        found = [wrong[case] for case in group]
        lines.append(f"{module:28}{len(found):7}{sum(found):7}")
    return "\n".join([*lines, f"{'all':28}{len(wrong):7}{sum(wrong.values()):7}"])
