"""Errors and items of the user's that fail to tell what they are."""

from __future__ import annotations

import pytest

import anabranch as ab
from engines.multicore.support import multicore_outputs, sequential_outputs


class Secretive(Exception):
    """An error that fails to tell what it is."""

    def __str__(self) -> str:
        raise ValueError("not told")


class Shy:
    def __repr__(self) -> str:
        raise ValueError("not shown")


@pytest.mark.parametrize("knobs", [{"workers": 1}, {"workers": 2, "processes": "always"}])
def test_errors_and_items_that_cannot_be_shown_are_named(knobs):
    def fails(item: Shy):
        raise Secretive
    graph = ab.from_iterable(range(3), int).map(lambda n: Shy()).map(fails).graph()
    with pytest.raises(ab.RunError) as expected:
        sequential_outputs(graph)
    with pytest.raises(ab.RunError) as found:
        multicore_outputs(graph, **knobs)
    assert str(found.value).split("\n")[0] == str(expected.value).split("\n")[0]
    for told in ("fails raised Secretive", "<Secretive that cannot be shown>",
                 "<Shy that cannot be shown>"):
        assert told in str(found.value)
