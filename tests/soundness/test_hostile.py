"""No function that depends on more than its item, or than its key's state, is called parallel."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from anabranch.core.errors import ProgramError
from soundness.corpus import FOLDER, PARALLEL, cases, fresh, program, state_of, table
from soundness.items import ITEMS, Item

HOSTILE = cases("hostile")

# State of the interpreter that a second run in this process would find as the first one left it.
LASTING = ("library_state", "library_more", "nondeterminism", "order_of_sets",
           "subclasses", "other_code")
LASTING_ALONE = {"names-map_builtins_module", "held_by_values-map_thread_local",
                 "single_methods-map_list_lt_verdict"}
"""The same in modules the others of which have none; the last shows where objects lie."""


@pytest.fixture(scope="session")
def observed() -> dict[str, bool | str]:
    """Whether each case gives another answer in another process or at another moment."""
    one, other = (_observed("outputs", seed=seed) for seed in "12")
    return _observed() | {case: one[case] != other[case] for case in one}


def _observed(*asked: str, seed: str = "random") -> dict:
    path = os.pathsep.join([str(FOLDER.parent), *sys.path])
    done = subprocess.run([sys.executable, "-m", "soundness.observe", "hostile", *asked],
                          check=True, stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed})
    return json.loads(done.stdout)


def called_parallel(case) -> str | None:
    """The reason why a case is called parallel; a program that is refused is not."""
    try:
        fact = state_of(case)
    except ProgramError:
        return None
    return f"{fact.value}: {fact.reason}" if fact.value.kind in PARALLEL else None


@pytest.mark.parametrize("case", HOSTILE, ids=str)
def test_is_not_called_parallel(case):
    assert called_parallel(case) is None


UNSEEN = {
    "gzip": lambda t: gzip.compress(t.word.encode()),
    "now": lambda t: str(np.datetime64("now")),
    "now in an array": lambda t: str(np.array(["now"], dtype="datetime64[us]")[0]),
    "now by a text": lambda t: str(np.datetime64(t.word)),
    "not computed": lambda t: float(np.add([1.0, 2.0], 1.0, where=[True, False])[1]),
    "not filled": lambda t: np.ndarray.__new__(np.ndarray, 3).tolist(),
}
"""What differs from one second to the next, or by what lies in memory: no run shows it surely."""


@pytest.mark.parametrize("name", UNSEEN)
def test_what_no_run_shows_is_not_called_parallel(name):
    graph = ab.from_iterable(ITEMS, Item).map(UNSEEN[name], name="op").graph()
    assert analyse(graph)["op"].state.value.kind not in PARALLEL


@pytest.mark.slow
@pytest.mark.xdist_group("observed")
@pytest.mark.parametrize("case", HOSTILE, ids=str)
def test_does_depend_on_more(case, observed):
    assert observed[str(case)] is True


@pytest.mark.parametrize("module", dict.fromkeys(case.module for case in HOSTILE))
def test_analysis_runs_nothing_of_it(module):
    """What the functions count, and the objects that count by themselves, are as they were."""
    copy = fresh("hostile", module)
    before = counted(copy)
    for case in (case for case in HOSTILE if case.module == module):
        with contextlib.suppress(Exception):
            analyse(program(case, *case.of(copy)).graph())
    assert counted(copy) == before


def counted(module) -> dict[str, object]:
    """The sizes of a module's lists, sets and dicts, and the numbers in its objects and classes."""
    sizes = {name: len(value) for name, value in vars(module).items()
             if type(value) in (list, dict, set) and name != "__builtins__"}
    return sizes | {f"{name}.{key}": value for name, owner in vars(module).items()
                    if type.__getattribute__(type(owner), "__module__") == module.__name__
                    or (type(owner) is type and owner.__module__ == module.__name__)
                    for key, value in attributes(owner).items() if type(value) is int}


def attributes(owner) -> dict:
    try:
        return dict(object.__getattribute__(owner, "__dict__"))
    except AttributeError:
        return {}


def test_how_many_of_each_class_are_called_parallel():
    wrong = {case: is_wrong(case) for case in HOSTILE}
    print("\n" + table(wrong))
    named = [str(case) for case in wrong if wrong[case]]
    assert named == []


def is_wrong(case) -> bool:
    """An analysis that fails calls nothing parallel, but it has no answer either."""
    try:
        return called_parallel(case) is not None
    except Exception:
        return True


@pytest.mark.parametrize("case", [
    c for c in HOSTILE if c.module not in LASTING and str(c) not in LASTING_ALONE][::10], ids=str)
def test_several_processes_give_the_same(case):
    several = ran(case, engine="multicore", workers=3, tune={"processes": "always"})
    assert several == ran(case, engine="sequential")


def ran(case, **options) -> list[str]:
    """The items of a run of a fresh copy, or its error."""
    try:
        return list(map(repr, program(case, *case.load()).collect(**options)))
    except ab.AnabranchError as error:
        return [str(error)]
