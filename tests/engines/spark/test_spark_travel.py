"""Functions of programs on their way to executors."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from anabranch.compile import load
from anabranch.engine.spark.travel import dumped, loaded
from anabranch.ir.function import Function

PROGRAMS = {
    "doubled.cql": "S := {int a} stream; select istream(a * 2) from S [now] where a > 1;",
    "words.szl": "n: table sum[string] of int; f: function(s: string): int { return len(s); };\n"
                 "emit n[string(input)] <- f(string(input));",
    "ramp.str": "void->void pipeline Main { add Ramp(); add Shown(); }\n"
                "void->int filter Ramp { int n; work push 1 { push(n); n = n + 1; } }\n"
                "int->void filter Shown { work pop 1 { println(pop()); } }",
}


@pytest.fixture
def asked(monkeypatch):
    """What is looked for in a module that has nothing to do with the program."""
    names = []

    class Loaded(ModuleType):
        def __getattr__(self, name):
            names.append(name)
            raise AttributeError(name)
    monkeypatch.setitem(sys.modules, "loaded_before", Loaded("loaded_before"))
    return names


@pytest.mark.parametrize("made", [
    Function.from_source("lambda x: x + one", {"one": 1}),
    Function.defined("def more(x): return x + one", "more", {"one": 1})], ids=lambda f: f.name)
def test_a_generated_function_arrives(made, asked):
    assert loaded(dumped(made.call))(2) == 3
    assert asked == []


@pytest.mark.parametrize("file", PROGRAMS)
def test_generated_functions_are_sought_in_no_module(file, tmp_path, asked):
    (tmp_path / file).write_text(PROGRAMS[file])
    graph = load(tmp_path / file, {})
    assert [op.name for op in loaded(dumped(list(graph)))] == [op.name for op in graph]
    assert asked == []
