"""Inference: types of results, and correct programs that must pass."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from anabranch.analysis.typing.inference import infer_result, infer_yields
from anabranch.ir.function import Function
from anabranch.ir.records import Record, State
from anabranch.ir.types import ANY, FLOAT, INT, STR, AnyOf, ListOf, OptionalOf, RecordOf
from analysis.support import ENTRY, Balance, compiled, function


def annotated(x) -> float:
    return x


def many(x) -> Iterator[int]:
    yield x


SCOPE = {"math": math, "annotated": annotated, "many": many, "LIMIT": 7, "TABLE": {"a": 1},
         "datetime": datetime, "timedelta": timedelta}


def result(text: str) -> str:
    return str(infer_result(function(text, SCOPE), [ENTRY]))


@pytest.mark.parametrize(("expression", "expected"), [
    ("t", "Entry"), ("t.uid", "int"), ("t.name", "str"), ("t.tags", "list[str]"),
    ("t.note", "str | None"), ("t.tags[0]", "str"), ("t.tags[1:]", "list[str]"),
    ("t.name[0]", "str"), ("t.uid + 1", "int"), ("t.uid / 2", "float"), ("t.uid // 2", "int"),
    ("t.amount // 2", "float"), ("t.uid % 2", "int"), ("t.uid ** 2", "int"),
    ("t.amount ** 2", "float"), ("t.amount ** 0.5", "?"), ("-t.amount", "float"),
    ("-(t.uid > 1)", "int"), ("not t.uid", "bool"), ("t.uid > 1", "bool"), ("t.uid & 1", "int"),
    ("1 < t.uid < 3", "bool"), ("t.uid == 'x'", "bool"), ("t.note is None", "bool"),
    ("t.name in t.tags", "bool"), ("t.uid and t.amount", "float"), ("t.note or t.name", "str"),
    ("t.name if t.uid else None", "str | None"), ("1 if t.uid else 1.5", "float"),
    ("f'{t.uid}'", "str"), ("'%d' % t.uid", "str"), ("t.name * 2", "str"),
    ("2 * t.tags", "list[str]"),
    ("t.name.lower()", "str"), ("t.name.split()", "list[str]"), ("t.name.startswith('a')", "bool"),
    ("t.name.find('a')", "int"), ("t.name.encode()", "bytes"), ("t.name.partition('a')[0]", "str"),
    ("len(t.tags)", "int"), ("abs(t.amount)", "float"), ("min(t.tags)", "str"),
    ("max(t.uid, t.amount)", "float"), ("max(t.tags, default=None)", "str | None"),
    ("int(t.name)", "int"), ("float(t.uid)", "float"), ("str(t.uid)", "str"),
    ("round(t.amount)", "int"), ("round(t.amount, 2)", "float"), ("sum([t.uid, 1])", "?"),
    ("sum(len(w) for w in t.tags)", "int"), ("sorted(t.tags)", "list[str]"),
    ("[t.uid]", "list[int]"), ("[t.uid, t.amount]", "list[float]"),
    ("[w for w in t.tags]", "list[str]"),
    ("[len(w) for w in t.tags]", "list[int]"), ("math.sqrt(t.uid)", "float"),
    ("math.floor(t.uid)", "int"),
    ("math.isnan(t.amount)", "bool"), ("Out(t.uid, t.amount)", "Out"),
    ("Out(uid=t.uid, total=1).total", "float"), ("t.replace(uid=1)", "Entry"),
    ("t._replace(uid=1).uid", "int"), ("annotated(t)", "float"), ("unknown(t)", "?"),
    ("(t.uid, t.name)", "?"), ("{t.uid}", "?"), ("(lambda x: x)(t)", "?"), ("t.uid + LATER", "?"),
    ("t.tags + ['a']", "list[str]"), ("t.tags.copy()", "list[str]"), ("None", "None"),
    ("t.note + 'x'", "?"), ("t.note.lower()", "str"), ("(x := t.uid) + x", "int"),
    ("[i * w for i, w in enumerate(t.tags)][0]", "str"),
    ("[b for a, b in zip(t, t.tags)]", "list[str]"),
    ("(datetime(2024, 1, 2) - datetime(2024, 1, 1)).total_seconds()", "float"),
    ("datetime(2024, 1, 2) + 2 * timedelta(1)", "timestamp"),
    ("timedelta(1) // timedelta(2)", "int"), ("timedelta(1) < timedelta(2)", "bool"),
    ("timedelta(1)", "?"), ("timedelta(1).days", "int"),
    ("10**6", "int"), ("t.uid ** LIMIT", "int"), ("t.uid ** -1", "?"), ("2 ** t.uid", "?"),
    ("t.uid + LIMIT", "int"), ("t.uid + TABLE['a']", "?"), ("(LIMIT := t.amount) + LIMIT", "float"),
])
def test_expressions(expression, expected):
    assert result(f"f = lambda t: {expression}").replace("list[?]", "?") == expected


@pytest.mark.parametrize(("body", "expected"), [
    ("x = t.uid\nreturn x", "int"),
    ("x = t.uid\nx = t.amount\nreturn x", "float"),
    ("x = t.uid\nif t.uid: x = t.name\nreturn x", "?"),
    ("x = 0\nfor w in t.tags: x += len(w)\nreturn x", "int"),
    ("x = 0\nfor w in t.tags: x += 0.5\nreturn x", "float"),
    ("x = 0\ny = x\nx = t.name\nreturn y", "?"),
    ("for w in t.tags: pass\nreturn w", "str"),
    ("a, b = t.uid, t.name\nreturn b", "str"),
    ("for i, w in enumerate(t.tags): pass\nreturn i", "int"),
    ("if t.uid: return t.uid", "int | None"),
    ("if t.uid: return t.uid\nreturn None", "int | None"),
    ("if t.uid: return t.uid\nelse: return t.amount", "float"),
    ("while True:\n    return t.uid", "int"),
    ("if t.uid: raise ValueError\nreturn t", "Entry"),
    ("with open(t.name) as x: return x", "?"),
    ("x = []\nx.append(t.uid)\nreturn x", "list[?]"),
    ("x = [1]\nx.append('a')\nreturn x[0]", "?"),
    ("def g(): return 'x'\nreturn t.uid", "int"),
    ("return", "None"),
    ("pass", "None"),
    ("t = t.uid\nreturn t", "?"),
    ("import math\nreturn math.pi", "?"),
    ("global G\nG = 1\nreturn G", "?"),
])
def test_statements(body, expected):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    assert result(f"def f(t):\n{lines}") == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("f = lambda t: t.tags", "str"),
    ("f = lambda t: [t.uid]", "int"),
    ("f = lambda t: t.name.split()", "str"),
    ("f = lambda t: (len(w) for w in t.tags)", "int"),
    ("f = lambda t: [] if t.uid else [t]", "?"),
    ("f = lambda t: range(t.uid)", "int"),
    ("f = lambda t: many(t)", "int"),
    ("def f(t):\n    yield t.uid\n    yield t.amount", "float"),
    ("def f(t):\n    yield from t.tags", "str"),
    ("def f(t):\n    for w in t.tags: yield Out(t.uid, len(w))", "Out"),
    ("def f(t):\n    yield t\n    yield t.uid", "?"),
    ("def f(t) -> list[int]:\n    return unknown(t)", "int"),
])
def test_elements(text, expected):
    assert str(infer_yields(function(text, SCOPE), [ENTRY])) == expected


def test_annotations_win():
    def f(t) -> Iterator[str]:
        yield t

    def g(t) -> str | None:
        return t
    assert infer_yields(Function.of(f), [INT]) == STR
    assert infer_result(Function.of(g), [INT]) == OptionalOf(STR)


def test_a_parameter_of_unknown_type_has_its_annotation():
    names = compiled("def f(t: Entry):\n    return t.uid")
    assert infer_result(Function.of(names["f"]), [ANY]) == INT


def test_what_has_no_source_is_any_with_the_reason():
    found = infer_result(Function.of(eval("lambda t: t.nope")), [ENTRY])
    assert isinstance(found, AnyOf)
    assert found.reason.startswith("its source cannot be found")
    assert infer_result(Function.of(len), [STR]) == ANY


def test_states_and_nested_records():
    class Inner(Record):
        x: int
        next: OptionalOf(FLOAT) = None

    class Outer(Record):
        inner: Inner
        many: list[Inner]
    names = {"Inner": Inner, "Outer": Outer}
    assert infer_result(function("f = lambda o: o.inner.x", names), [RecordOf(Outer)]) == INT
    assert infer_result(function("f = lambda o: o.many[0]", names), [RecordOf(Outer)]) \
        == RecordOf(Inner)
    found = infer_yields(function("def f(s, t):\n    s.total += t.amount\n    yield s.total"),
                         [RecordOf(Balance), ENTRY])
    assert found == FLOAT
    assert infer_yields(function("def f(s, t):\n    yield s.names"), [RecordOf(Balance), ENTRY]) \
        == ListOf(STR)


CORRECT = [
    "def f(t):\n    if t.note is not None:\n        return t.note + 'x'\n    return 1",
    "def f(t):\n    if isinstance(t.uid, str):\n        return t.uid.lower() + 'x'\n    return t",
    "def f(t):\n    if hasattr(t, 'extra'):\n        return t.extra\n    return t",
    "def f(t):\n    try:\n        return t.uid + t.name\n    except TypeError:\n        return 0",
    "def f(t):\n    x = None\n    for w in t.tags: x = w if x is None else x + w\n    return x",
    "def f(t):\n    t = t.name\n    return t.upper()",
    "def f(t):\n    best = []\n    best.append(t.uid)\n    return best[0] + 1",
    "def f(t):\n    xs = [1]\n    fill(xs)\n    return xs[0] + 'a'",
    "f = lambda t: [t.lower() for t in t.tags]",
    "f = lambda t: t.count(1) + t.index(1)",
    "f = lambda t: t._asdict()",
    "f = lambda t: t[0]",
    "f = lambda t: [x for x in t]",
    "f = lambda t: Out(*t[:2])",
    "f = lambda t: Out(**{'uid': 1, 'total': 2})",
    "f = lambda t: Renamed(t.uid, t.name)",
    "f = lambda t: Out(t.uid, t.uid)",
    "f = lambda t: Out(t.uid > 1, 2)",
    "f = lambda t: t.replace(note=None)",
    "f = lambda t: t.replace(note=t.name)",
    "f = lambda t: 'a' in t.name and t.uid in (1, 'x')",
    "f = lambda t: t.name % (t.uid, 'x')",
    "f = lambda t: (t.amount if t.uid else t.name) * 2",
    "f = lambda t: sorted(t.tags, key=lambda t: t.nope)",
    "f = lambda t: -True + t.uid",
    "f = lambda t: t.tags * 2 + [1]",
    "f = lambda t: t.name.format(a=1).encode().decode()",
    "f = lambda t: t < t",
    "f = lambda t: t + t",
    "def f(t):\n    def g(x):\n        return x.anything + 1\n    return g(t)",
    "def f(t):\n    match t:\n        case Entry(uid=x): return x\n        case _: return t.nope",
]


@pytest.mark.parametrize("text", CORRECT)
def test_correct_programs_pass(text):
    infer_result(function(text, {**SCOPE, "fill": lambda xs: xs.insert(0, "a")}), [ENTRY])


def test_methods_and_properties_of_records_are_attributes():
    class Point(Record):
        x: int

        @property
        def double(self) -> int:
            return 2 * self.x

        def shifted(self, by) -> float:
            return self.x + by

    assert infer_result(function("f = lambda p: p.double"), [RecordOf(Point)]) == INT
    assert infer_result(function("f = lambda p: p.shifted(1)"), [RecordOf(Point)]) == FLOAT


def test_a_state_with_other_annotations_is_fine():
    class Odd(State):
        seen: set = set()
        by: dict[str, int] = {}
    text = "def f(s, t):\n    s.seen.add(1)\n    s.by['a'] = 1\n    s.seen = set()\n    yield s.by"
    assert infer_yields(function(text), [RecordOf(Odd), ENTRY]) == ANY
