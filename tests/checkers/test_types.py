"""Programs have types that an editor can complete: what mypy, which is at hand, says in strict
mode. `make types` asks pyright and ty as well."""

from typing import get_type_hints

from anabranch.api.arguments import DECLARATIONS, Declared
from anabranch.runtime.options import RunKeywords, RunOptions
from checkers.ask import mypy
from checkers.compare import differences
from checkers.programs import expected_errors, expected_types, written


def test_programs_are_clean_and_mistakes_are_found(tmp_path):
    assert len(expected_types()) > 30 and len(expected_errors()) > 10
    assert differences("mypy", mypy(written(tmp_path))) == []


def test_settings_of_a_run_are_all_typed():
    assert get_type_hints(RunKeywords).keys() == RunOptions.__dataclass_fields__.keys()


def test_declarations_are_all_typed():
    assert Declared.__annotations__.keys() == DECLARATIONS.keys()
