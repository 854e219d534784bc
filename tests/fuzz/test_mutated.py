"""Wrong programs of our languages are refused by errors of ours; what else came would be found."""

from __future__ import annotations

import pytest

from fuzz import mutated
from fuzz.mutated import LANGUAGES, corpus, problem


@pytest.mark.parametrize("language", LANGUAGES)
def test_wrong_programs_are_refused(language):
    texts = [mutated.mutated(language, seed) for seed in range(12)]
    assert texts == [mutated.mutated(language, seed) for seed in range(12)]
    assert sum(text not in corpus(language) for text in texts) > 8
    assert [problem(language, text) for text in texts] == [None] * 12


def test_an_error_of_python_is_found(monkeypatch):
    def fails(path):
        raise KeyError(path.suffix)
    monkeypatch.setattr(mutated, "_through", fails)
    assert problem("str", "") == "KeyError: '.str'"


def test_a_program_without_end_is_left_alone(monkeypatch):
    monkeypatch.setattr(mutated, "LONGEST", 0.05)
    loop = "void->void filter Main { work { while (true) ; } }"
    assert problem("str", loop) is None
