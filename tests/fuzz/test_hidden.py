"""Each way to hide state, in every place of a program: all engines give the sequential output."""

from __future__ import annotations

import re

import pytest

from fuzz.engines import CONFIGURATIONS, differences
from fuzz.hidden import HIDDEN, NOTES
from fuzz.programs import Case, with_imports

PLACES = {
    "map": "rows.map(lambda t: (t.k, VALUE)).collect_into([])",
    "function": "def valued(t: Row):\n    first = VALUE\n    if first > 3:\n        return first\n"
                "    return -first\n\nrows.map(valued).collect_into([])",
    "filter": "rows.filter(lambda t: VALUE % 3 != 1).collect_into([])",
    "flat map": "rows.flat_map(lambda t: [VALUE] * (t.k + 1)).collect_into([])",
    "keyed operator": "class Total(ab.State):\n    n: int = 0\n\n\n@ab.operator(by='k')\n"
                      "def running(state: Total, t: Row):\n    state.n += VALUE\n"
                      "    yield Row(t.k, state.n, t.s)\n\n\nrows.apply(running).collect_into([])",
    "two operators": "evens, odds = rows.split(lambda t: t.n % 2 == 0)\n"
                     "evens.map(lambda t: VALUE).union(odds.map(lambda t: -VALUE), "
                     "arrival=True).collect_into([])",
}

PROGRAM = '''import anabranch as ab


class Row(ab.Record):
    k: int
    n: int
    s: str


{hidden}

rows = ab.from_iterable([Row(n % 3, n * 7 % 11, "abcab"[n % 5]) for n in range(24)], Row)
{place}
'''


def case_of(hidden: str, place: str) -> Case:
    text, rule = HIDDEN[hidden]
    value = "(" + re.sub("<int>", "t.n", re.sub("<str>", "t.s", rule)) + ")"
    files = {"notes.py": NOTES.encode()} if not text else {}
    source = PROGRAM.format(hidden=text, place=PLACES[place].replace("VALUE", value))
    return Case(0, with_imports(source, files), files, hidden)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_engines_agree(hidden):
    for place in PLACES:
        case = case_of(hidden, place)
        found = differences(case, [CONFIGURATIONS[n] for n in (1, 4, 7)])
        assert [str(each) for each in found] == [], case.source
