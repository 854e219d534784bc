"""Fields that are dicts and tuples: in every format, on every engine, and in the analyses."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from enum import Enum
from typing import Literal

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, ProgramError

ENGINES = [("sequential", {}), ("multicore", {"workers": 2}),
           ("multicore", {"workers": 2, "tune": {"kernels": "always"}}),
           ("multicore", {"workers": 2, "tune": {"processes": "always"}})]


class Kind(Enum):
    CARD = "card"
    CASH = "cash"


class Point(ab.Record):
    x: int
    y: float


class Row(ab.Record):
    n: int
    tags: dict[str, int]
    pair: tuple[int, str]
    many: tuple[float, ...] = ()
    deep: dict[str, list[Point | None]] = {}
    when: dict[str, datetime] | None = None


class Keyed(ab.Record):
    numbers: dict[int, str]
    days: dict[date, float]
    kinds: dict[Kind, int]
    words: dict[Literal["a", "b"], bool]


class Total(ab.State):
    n: int = 0


ROWS = [Row(n, {"a": n, "é": -n}, (n % 3, "x" * (n % 2)), tuple(map(float, range(n % 4))),
            {"p": [Point(n, 0.5), None]},
            None if n % 2 else {"t": datetime(2026, 1, 1, tzinfo=UTC)})
        for n in range(7)]
KEYED = [Keyed({1: "a", -2: "b"}, {date(2026, 1, 2): 0.5}, {Kind.CASH: 3}, {"b": True}),
         Keyed({}, {}, {}, {})]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "arrow", "avro"])
@pytest.mark.parametrize(("engine", "options"), ENGINES[:2])
def test_every_format_gives_them_back(form, engine, options, tmp_path):
    path = tmp_path / f"rows.{form}"
    getattr(ab.from_iterable(ROWS, Row), f"write_{form}")(path).run(engine=engine, **options)
    assert getattr(ab, f"read_{form}")(path, Row).collect(engine=engine, **options) == ROWS


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "arrow"])
def test_keys_may_be_more_than_texts(form, tmp_path):
    path = tmp_path / f"rows.{form}"
    getattr(ab.from_iterable(KEYED, Keyed), f"write_{form}")(path).run(engine="sequential")
    assert getattr(ab, f"read_{form}")(path, Keyed).collect() == KEYED


def test_avro_refuses_other_keys(tmp_path):
    with pytest.raises(AnabranchError, match="Avro has no dict whose keys are no texts"):
        ab.from_iterable(KEYED, Keyed).write_avro(tmp_path / "x.avro").run(engine="sequential")


@ab.operator(by="pair")
def numbered(state: Total, r: Row) -> Iterator[Row]:
    state.n += r.tags.get("a", 0) + len(r.many)
    yield r.replace(n=state.n)


def program() -> ab.Stream:
    rows = ab.from_iterable(ROWS, Row)
    return rows.filter(lambda r: r.pair[0] < 2 and "a" in r.tags).apply(numbered).map(
        lambda r: Row(r.n + r.tags["a"], {**r.tags, "b": 1}, (r.pair[0], r.pair[1] + "!"), r.many))


@pytest.mark.parametrize(("engine", "options"), ENGINES)
def test_operators_compute_with_them(engine, options):
    state, expected = {}, []
    for r in ROWS:
        if r.pair[0] < 2:
            state[r.pair] = state.get(r.pair, 0) + r.tags["a"] + len(r.many)
            expected.append(Row(state[r.pair] + r.tags["a"], {**r.tags, "b": 1},
                                (r.pair[0], r.pair[1] + "!"), r.many))
    assert program().collect(engine=engine, **options) == expected


def test_they_do_not_keep_operators_from_running_in_parallel():
    assert set(compile_graph(program().graph()).sequential) == {"collected"}


def test_a_dict_that_is_changed_is_noticed():
    def marked(r: Row) -> Row:
        r.tags["seen"] = 1
        return r
    reasons = compile_graph(ab.from_iterable(ROWS, Row).map(marked).graph()).sequential
    assert "marked" in reasons


@pytest.mark.parametrize(("engine", "options"), ENGINES[:2])
def test_what_is_in_a_source_is_copied(engine, options):
    given = [Row(1, {"a": 1}, (1, ""))]
    out = ab.from_iterable(given, Row).map(lambda r: r.tags).collect(engine=engine, **options)
    out[0]["a"] = 2
    assert given[0].tags == {"a": 1}


@pytest.mark.parametrize(("value", "told"), [
    ('{"n": 1, "tags": {"a": "x"}, "pair": [1, ""]}', r"tags\['a'\] cannot be read as int"),
    ('{"n": 1, "tags": [], "pair": [1, ""]}', r"tags cannot be read as dict\[str, int\]"),
    ('{"n": 1, "tags": {}, "pair": [1, "", 2]}', r"pair cannot be read as tuple\[int, str\]"),
    ('{"n": 1, "tags": {}, "pair": [1, 2]}', r"pair\[1\] cannot be read as str")])
def test_what_does_not_fit_is_told_with_its_place(value, told, tmp_path):
    (tmp_path / "in.jsonl").write_text(value)
    with pytest.raises(AnabranchError, match=told):
        ab.read_jsonl(tmp_path / "in.jsonl", Row).collect()


def test_a_dict_is_no_key_and_a_float_is_none_of_its_keys():
    with pytest.raises(ProgramError, match="cannot be a key: it holds a dict"):
        ab.from_iterable(ROWS, Row).group_by("tags")

    class Wrong(ab.Record):
        rates: dict[float, int]
    with pytest.raises(ProgramError, match="is not a type of a stream's items") as raised:
        ab.read_csv("x.csv", Wrong)
    assert "keys that are str, int, date" in str(raised.value)
