"""The pages of the command line and of the API are what the code says of itself."""

import inspect
import re
from pathlib import Path

import pytest

import anabranch as ab
from anabranch.cli import api_pages as api
from anabranch.cli import commands
from anabranch.cli import reference as command_line
from anabranch.explain import matrix

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"command-line.md": command_line.page, "api.md": api.page, "matrix.md": matrix.page}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_that_of_the_code(name):
    assert (DOCS / name).read_text() == PAGES[name](), "make docs writes it anew"


def test_every_option_of_every_command_is_there():
    text = command_line.page()
    # `bench` is only the door to a command that is not in the package.
    for name in commands.commands.keys() - {"bench"}:
        section = text.partition(f"## anabranch {name}\n")[2].partition("\n## ")[0]
        options = {o.opts[0] for o in commands.commands[name].params
                   if o.param_type_name == "option"}
        assert section and all(f"`{option}" in section for option in options)


def test_no_operator_is_missing_in_the_matrix():
    lines = [line.split(" |")[0] for line in matrix.page().splitlines() if line.startswith("| ")]
    named = set(re.findall(r"\w+", " ".join(lines)))
    others = {"collect", "collect_into", "deduplicate", "explain", "for_each", "graph", "group_by",
              "run", "show", "start", "state_changes", "synchronize", "then", "to_arrow",
              "to_spark"}
    methods = {name for name, _ in inspect.getmembers(ab.Stream, inspect.isfunction)
               if not name.startswith(("_", "write_"))}
    assert methods - others <= named


def test_every_public_name_is_there_with_what_it_does():
    lines = api.page().splitlines()
    for name in ab.__all__:
        assert f"### ab.{name}" in lines
        assert inspect.getdoc(getattr(ab, name)), name
    methods = [line.partition("stream.")[2] for line in lines if line.startswith("#### ")]
    assert {"map", "apply", "aggregate", "loop", "write_csv", "run"} <= set(methods)
    assert all(inspect.getdoc(getattr(ab.Stream, method)) for method in methods)
