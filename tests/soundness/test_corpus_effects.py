"""What analysis says of every function of the corpus: each effect, where it is, what comes out."""

from __future__ import annotations

from types import ModuleType

import pytest

import soundness.helpers.counting  # noqa: F401 (what has been imported is known)
from anabranch.analysis.effects.handed_on import GivenOut
from anabranch.analysis.effects.purity import Effects, Found
from anabranch.analysis.fact import Effect
from anabranch.core.errors import ProgramError
from analysis.test_library_results import shown
from soundness.corpus import FOLDER, Case, cases, fresh, program

CASES = {(folder, module): [c for c in cases(folder) if c.module == module]
         for folder in ("hostile", "innocent")
         for module in dict.fromkeys(c.module for c in cases(folder))}


def said(effect: Effect) -> str:
    """An effect with the text that it stands at, and what else it may meet."""
    names = sorted(n for n in effect.identity if isinstance(n, str))
    objects = ["objects"] if len(names) < len(effect.identity - {*marks(effect)}) else []
    at = ""
    if effect.span is not None:
        if not effect.span.file.startswith(str(FOLDER)):
            # The text of a library differs from version to version.
            return "    and more in a library"
        end = effect.span.end_column if effect.span.end_line == effect.span.line else None
        at = effect.span.text[effect.span.column:end]
    met = ", ".join([*names, *objects])
    return f"    {effect.kind.name}: {effect.reason} [{at}] {met}".rstrip()


def marks(effect: Effect) -> list[GivenOut]:
    """The operators that keep what they give out, as this effect says."""
    return [n for n in effect.identity if isinstance(n, GivenOut)]


def found(case: Case, module: ModuleType) -> Found | None:
    try:
        graph = program(case, *case.of(module)).graph()
    except ProgramError:
        return None
    return Effects().of(graph)["op"]


def lines(case: Case, module: ModuleType) -> list[str]:
    known = found(case, module)
    if known is None:
        return [f"{case.name}: refused"]
    changeable = ", can be changed" if known.changeable else ""
    kept = ", may be kept" if any(map(marks, known.fact.value)) else ""
    return [f"{case.name}: {shown(known.outputs[0])}{changeable}{kept}",
            *sorted(set(map(said, known.fact.value)))]


@pytest.mark.parametrize(("folder", "module"), CASES)
def test_all_that_is_said(folder, module, golden):
    # A function that another test has run may have bound its globals again.
    unused = fresh(folder, module)
    text = "\n".join(line for case in CASES[folder, module] for line in lines(case, unused))
    golden(f"effects/{folder}_{module}.txt", text + "\n")
