"""Functions of programs on their way to executors."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from anabranch.engine.spark.travel import dumped, loaded
from anabranch.ir.function import Function
from anabranch.lang.common.code import definition

MADE = {
    "an expression": Function.from_source("lambda x: x + one", {"one": 1}),
    "a definition": Function.defined("def more(x): return x + one", "more", {"one": 1}),
    "a module": definition("one = 1\ndef more(x): return x + one", "more", None),
}


@pytest.mark.parametrize("made", MADE)
def test_generated_functions_are_sought_in_no_module(made, monkeypatch):
    asked = []

    class Loaded(ModuleType):
        def __getattr__(self, name):
            asked.append(name)
            raise AttributeError(name)
    monkeypatch.setitem(sys.modules, "loaded_before", Loaded("loaded_before"))
    assert loaded(dumped(MADE[made].call))(2) == 3
    assert asked == []
