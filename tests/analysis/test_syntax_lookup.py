"""Finding a function's syntax: of lambdas on one line, methods, partials, notebook cells."""

from __future__ import annotations
import __future__

import ast
import functools
import importlib
import linecache
import os
from importlib.machinery import SourceFileLoader

import pytest

from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax, Missing, syntax_of
from analysis.support import compiled

pair = (lambda t: t.a, lambda t: t.b)
nested = lambda t: lambda t: t.x  # noqa: E731
same = [lambda t: t.a for _ in range(2)]


def text_of(call) -> str:
    return ast.unparse(syntax_of(call).node)


def test_lambdas_of_one_line_are_told_apart():
    assert [text_of(f) for f in pair] == ["lambda t: t.a", "lambda t: t.b"]
    assert syntax_of(pair[1]).span.column == 23


def test_nested_lambdas_are_told_apart():
    assert text_of(nested) == "lambda t: lambda t: t.x"
    assert text_of(nested(1)) == "lambda t: t.x"
    assert text_of(same[1]) == "lambda t: t.a"


def test_a_chain_over_several_lines():
    fs = [
        lambda t: (t.a
                   + t.b), lambda t: t.c,
    ]
    assert [text_of(f) for f in fs] == ["lambda t: t.a + t.b", "lambda t: t.c"]


def decorated(call):
    return call


@decorated
@decorated
def with_decorators(t):
    return t


class Scale:
    factor = 2

    def by(self, t, extra=1):
        return t * self.factor + extra

    def __call__(self, t):
        return t

    @staticmethod
    def still(t):
        return t

    @classmethod
    def made(cls, t):
        return t


def test_functions_methods_and_callable_objects():
    assert syntax_of(with_decorators).node.name == "with_decorators"
    scale = Scale()
    method = syntax_of(scale.by)
    assert (method.parameters, method.resolve("self")) == (("t", "extra"), scale)
    assert method.defaults == {"extra": 1}
    assert syntax_of(scale).parameters == ("t",)
    assert syntax_of(Scale.still).parameters == ("t",)
    assert syntax_of(Scale.made).resolve("cls") is Scale


def test_partials():
    syntax = syntax_of(functools.partial(Scale().by, extra=5))
    assert syntax.parameters == ("t",)
    assert syntax.resolve("extra") == 5
    assert isinstance(syntax_of(functools.partial(int, base=2)), Missing)


def test_names_are_resolved_through_closure_globals_and_builtins():
    inner = 3

    def f(t):
        local = t
        return inner, pair, len, local, nowhere  # noqa: F821
    syntax = syntax_of(f)
    assert syntax.resolve("inner") == 3
    assert syntax.resolve("pair") is pair
    assert syntax.resolve("len") is len
    assert syntax.resolve("local") is UNRESOLVED
    assert syntax.resolve("nowhere") is UNRESOLVED


def test_generators():
    def g(t):
        yield t

    def outer(t):
        def inner():
            yield t
        return inner
    assert syntax_of(g).is_generator
    assert not syntax_of(outer).is_generator


@pytest.mark.parametrize("call", [len, str.lower, int, functools.partial(len), "".join])
def test_what_is_not_python_is_missing(call):
    assert syntax_of(call).reason.startswith("its source cannot be found: ")


def test_executed_text_without_source_is_missing():
    names: dict = {}
    exec("def f(t): return t", names)
    assert syntax_of(names["f"]).reason == \
        "its source cannot be found: there is no text of <string>"


def test_text_that_has_changed_since_is_missing():
    names = compiled("x = 1\ndef f(t):\n    return t\n")
    file = names["f"].__code__.co_filename
    text = "def g(t):\n    return t\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    assert isinstance(syntax_of(names["f"]), Missing)


def test_a_cell_in_linecache_is_found():
    names = compiled("add = lambda t: t + 1; sub = lambda t: t - 1\n")
    assert text_of(names["sub"]) == "lambda t: t - 1"
    assert isinstance(syntax_of(names["add"]), FunctionSyntax)


def test_doctest_functions_are_found():
    import doctest

    test = doctest.DocTestParser().get_doctest(
        ">>> f = lambda t: t.a\n>>> syntax_of(f).parameters\n('t',)\n",
        {"syntax_of": syntax_of}, "sample", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


@pytest.mark.parametrize("text", ["def f(x): return x + 1\n", "def f(x): return [x]\n"])
def test_a_relative_name_is_the_file_that_lies_here_now(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "same_name.py").write_text(text)
    made = {}
    exec(compile(text, "same_name.py", "exec"), made)
    assert f"{text_of(made['f'])}\n".split("return ")[1] == text.split("return ")[1]


HIDDEN = "SEEN = []\ndef f(x):\n    SEEN.append(x)\n    return len(SEEN)\n"
PLAIN = "SEEN = []\ndef f(x):\n    y = x + 1\n    return x + y\n"


@pytest.mark.parametrize("loaded, edited, told", [
    (HIDDEN, PLAIN, "{}.py has changed since it was loaded"),
    (PLAIN, HIDDEN, "{}.py has changed since it was loaded"),
    (PLAIN, PLAIN.replace("+ y", "- y"), "{}.py has changed since it was loaded"),
    (HIDDEN, "# another line\n" + HIDDEN, "line 2 of {}.py is not where it says"),
    (PLAIN, PLAIN + "def g(x):\n    return x\n", None)],
    ids=["pure now", "impure now", "another constant", "moved", "more behind it"])
def test_the_code_that_runs_is_what_is_looked_at(tmp_path, monkeypatch, loaded, edited, told):
    """A notebook that has loaded a module runs the old code when the file is edited."""
    name = f"helpers_{tmp_path.name}"
    file = tmp_path / f"{name}.py"
    file.write_text(loaded)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module(name)
    assert isinstance(syntax_of(module.f), FunctionSyntax)
    file.write_text(edited)
    os.utime(file, (10, 10))
    found = syntax_of(module.f)
    assert found == Missing(f"its source cannot be found: {told.format(name)}") if told else (
        isinstance(found, FunctionSyntax))


def test_a_cell_is_its_own_text_whatever_it_inherits():
    """Interpreters compile what is typed with the `__future__` of what was typed before."""
    text, name = "def f(x: int):\n    return x + 1\n", "<cell 7>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"__loader__": SourceFileLoader("here", __file__)}
    exec(compile(text, name, "exec", flags=__future__.annotations.compiler_flag), names)
    assert isinstance(syntax_of(names["f"]), FunctionSyntax)
