"""Tests draw the same examples every time, whatever was imported before them."""

import sys
from types import ModuleType

from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list:
    examples = []

    @settings(settings.get_profile("steady"))
    @given(st.tuples(st.integers(), st.text(), st.floats(allow_nan=False)))
    def note(example):
        examples.append(example)
    note()
    return examples


def test_the_profile_of_make_test_is_the_default(request):
    chosen = request.config.getoption("--hypothesis-profile") or "steady"
    assert settings().derandomize is (chosen == "steady")
    assert settings().database is None
    assert settings().deadline is None


def test_constants_of_an_imported_module_are_not_drawn(tmp_path, monkeypatch):
    first = drawn()
    path = tmp_path / "constants.py"
    path.write_text("A, B, C = 123456789, 'a rare word', 0.123456789\n")
    module = ModuleType("constants")
    module.__file__ = str(path)
    monkeypatch.setitem(sys.modules, "constants", module)
    assert drawn() == first
