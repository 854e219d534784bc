"""Texts that may be None: what a kernel makes of None is what Python makes of it."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.api.node import connected_sinks, graph_of
from analysis.support import compiled
from engines.multicore.support import multicore_outcome, sequential_outcome
from interpreting import kernels_in_python


class Row(ab.Record):
    word: str | None
    n: int


ROWS = [Row("a", 1), Row("b", 2), Row("", 3), Row("é", 4)]
FORMS = [
    "t.word.upper()", "t.word + 'x'", "t.word[:1]", "f'{t.word}'", "str(t.word)", "repr(t.word)",
    "str(t.word) + 'x' or None", "t.word and t.word + t.word", "'-'.join([t.word, t.word])",
    "(t.word or '').join(['a', 'b'])", "f'{t.word!r:>5}' or None", "t.word * 2",
    "t.word and t.word * 2", "t.word if t.word and t.word + t.word > 'bb' else None",
    "t.word.replace('a', 'b') if t.word else t.word", "t.word == 'a' and t.word",
    "t.word > 'a' and t.word", "'a' in t.word and t.word or None", "t.word or None",
    "t.word.upper() or 'q'", "t.word.upper() if t.n > 2 else 'q'", "t.word.upper() and None",
    "(t.word if t.word is not None else 'a') + 'x' or None", "(t.word or 'q').upper() or None",
    "(t.word if t.word is not None else 'a') + (t.word if t.word is not None else 'a') or None",
    "(t.word or 'q') + (t.word or '') or t.word", "('z' + (t.word or 'q')) and None",
    "None if (t.word or 'q') + 'x' else 'u'", "(t.word or 'q')[0] or None",
    "((t.word or 'q') + 'x') if t.n > 1 else None",
]


@pytest.mark.parametrize("rows", [ROWS, [*ROWS[:2], Row(None, 5), *ROWS[2:]]],
                         ids=["none is missing", "one is missing"])
@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_a_text(form, rows):
    made = compiled(f"f = lambda t: t.replace(word={form})")
    stream = ab.from_iterable(rows, Row).map(made["f"])
    stream.collect_into([])
    graph = graph_of(connected_sinks(stream.node))
    expected = sequential_outcome(graph)
    with kernels_in_python():
        assert multicore_outcome(graph, workers=1, kernels="always", slice_size=2) == expected
