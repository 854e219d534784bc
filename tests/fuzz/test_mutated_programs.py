"""The mutants of programs: the same from the same seed, and what is wrong with one is found."""

from __future__ import annotations

import pytest

from anabranch.core.errors import ProgramError
from anabranch.lang import sawzall
from fuzz.mutated_programs import SOURCES, mutant, problem, programs


@pytest.mark.parametrize("suffix", SOURCES)
def test_mutants_are_refused_or_run(suffix):
    assert programs(suffix)
    texts = [mutant(suffix, seed) for seed in range(2)]
    assert texts == [mutant(suffix, seed) for seed in range(2)]
    assert [problem(suffix, text) for text in texts] == [None] * 2


def test_what_is_wrong_is_found(monkeypatch):
    def fails(*_: object) -> None:
        raise KeyError("x")

    def without_line(*_: object) -> None:
        raise ProgramError("this is wrong")

    def for_ever(*_: object) -> None:
        while True:
            pass

    for wrong, found in ((fails, "KeyError: 'x'"), (without_line, "no line is underlined"),
                         (for_ever, "compiling takes for ever")):
        monkeypatch.setattr(sawzall, "load", wrong)
        assert found in problem(".szl", "x := 1;", seconds=0.2)
    monkeypatch.undo()
    assert problem(".szl", "while (true) ;", seconds=0.3) is None
