"""What a language declares reaches its `load`; what it does not declare is refused."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

import anabranch.lang.registry as lang
from anabranch.cli import options
from anabranch.compile import load
from anabranch.core.errors import UsageError
from anabranch.lang.registry import FILES, Language, Option

OWN = (Option("verbose", "flag", "Say more."), Option("rounds", "int", "How often.", "N"),
       Option("title", "text", "A title.", "TEXT"),
       Option("bind", "pairs", "Binds a name.", "NAME=VALUE"), FILES)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A language that gives back what its `load` is called with, and a program of it."""
    module = ModuleType("toy_language")
    module.load = lambda path, parameters, **given: given
    monkeypatch.setitem(__import__("sys").modules, "toy_language", module)
    monkeypatch.setitem(lang.LANGUAGES, ".toy", Language("toy_language", OWN))
    program = tmp_path / "p.toy"
    program.touch()
    return program


def given(*arguments: str) -> dict[str, object]:
    """What a command with these arguments gets of the options of languages."""
    found = {}

    @click.command()
    @options.program
    @options.of_languages
    def command(program, own):
        found.update(own)

    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return found


def test_only_what_is_given_is_passed_on(toy):
    assert given(str(toy)) == {}
    assert given(str(toy), "--verbose", "--rounds", "0", "a", "b", "--bind", "x=1",
                 "--title", "t") == {"verbose": True, "rounds": 0, "files": ("a", "b"),
                                     "bind": {"x": "1"}, "title": "t"}


def test_a_language_gets_its_options(toy):
    assert load(toy, {}, {"rounds": 3, "files": ("a",)}) == {"rounds": 3, "files": ("a",)}


@pytest.mark.parametrize("option, message", [
    (OWN[1], "--rounds is not for a '.river' program"),
    (replace(FILES), "FILE... is not for a '.river' program")])
def test_an_option_of_another_language_is_refused(toy, option, message):
    river = toy.with_suffix(".river")
    river.touch()
    with pytest.raises(UsageError, match=message.replace(".", r"\.")):
        load(river, {}, {option.name: 1})
