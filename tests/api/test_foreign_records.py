"""Dataclasses, named tuples, typed dicts and models of pydantic where records are asked for."""

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import NamedTuple, TypedDict

import pytest

import anabranch as ab


@dataclass
class Point:
    """A place."""

    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)

    @property
    def sum(self) -> int:
        return self.x + self.y


class Pair(NamedTuple):
    x: int
    y: int = 2


class Place(TypedDict):
    x: int
    y: int


@ab.record
class Written:
    x: int
    y: int = 2

    def sum(self):
        return self.x + self.y


@pytest.mark.parametrize("cls", [Point, Pair, Place, Written])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_files_are_read_with_them(tmp_path, cls, form):
    if cls is Point and form == "csv":
        (tmp_path / "a.csv").write_text('x,y,tags\n1,2,"[""a""]"\n')
    else:
        made = ab.from_iterable([1], int).map(lambda n: Full(n, 2, ["a"]))
        getattr(made, f"write_{form}")(tmp_path / f"a.{form}").run(engine="sequential")
    [found] = getattr(ab, f"read_{form}")(tmp_path / f"a.{form}", cls).collect()
    assert (found.x, found.y) == (1, 2) and isinstance(found, ab.Record)
    assert type(found).__name__ == cls.__name__


class Full(ab.Record):
    x: int
    y: int
    tags: list[str]


def test_defaults_properties_and_methods_are_there(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x": 5}\n')
    points = ab.read_jsonl(tmp_path / "a.jsonl", Point)
    assert points.map(lambda p: (p.sum, p.tags)).collect() == [(7, [])]
    assert Written(1).sum() == 3 and Written(1).replace(y=5) == Written(1, 5)


def test_nested_ones_are_records_too(tmp_path):
    @dataclass
    class Way:
        name: str
        points: list[Point]
    (tmp_path / "a.jsonl").write_text('{"name": "a", "points": [{"x": 1}, {"x": 2, "y": 3}]}\n')
    ways = ab.read_jsonl(tmp_path / "a.jsonl", Way)
    assert ways.map(lambda w: w.points[1].sum).collect() == [5]


def test_models_of_pydantic(tmp_path, monkeypatch):
    """As pydantic describes them: it need not be installed."""
    class BaseModel:
        pass
    BaseModel.__module__ = "pydantic.main"
    monkeypatch.setitem(sys.modules, "pydantic", ModuleType("pydantic"))

    class Model(BaseModel):
        x: int
        y: int = 2
        model_config: dict
        model_fields = {"x": SimpleNamespace(is_required=lambda: True),
                        "y": SimpleNamespace(is_required=lambda: False,
                                             get_default=lambda call_default_factory: 2)}
    (tmp_path / "a.jsonl").write_text('{"x": 1}\n')
    assert ab.read_jsonl(tmp_path / "a.jsonl", Model).collect() == [(1, 2)]


@pytest.mark.parametrize("build", [
    lambda s: s.map(lambda p: Point(p.x)),
    lambda s: s.flat_map(lambda p: [Pair(p.x), Pair(p.y)]),
    lambda s: s.apply(ab.operator(points))])
def test_an_item_that_is_made_of_them_is_refused(build):
    stream = ab.from_iterable([Written(1)], Written)
    with pytest.raises(ab.ProgramError, match="which is no record") as caught:
        build(stream)
    assert "put @ab.record above the class" in caught.value.help
    assert caught.value.where.file == __file__


def points(p):
    yield Point(p.x)


def test_where_it_is_found_while_running_it_says_the_same():
    stream = ab.from_iterable([Written(1)], Written).map(lambda p: Point(p.x), to=Point)
    with pytest.raises(ab.RunError, match=r"a Point is no record: put @ab\.record"):
        stream.write_stdout().run(engine="sequential")


def test_an_object_with_wrong_values_is_malformed():
    with pytest.raises(ab.DataError, match="x cannot be read as int"):
        ab.from_iterable([Point("one")], Point).collect()
    with pytest.raises(ab.DataError, match="malformed row"):
        ab.from_iterable([{"x": 1}], Place).collect()


@pytest.mark.parametrize("wrong", [int, 7, lambda: None])
def test_what_has_no_fields_is_refused(wrong):
    with pytest.raises(ab.ProgramError, match="has no typed fields"):
        ab.record(wrong)


def test_typed_dicts_are_read_by_name(capsys):
    places = ab.from_iterable([{"x": 1, "y": 2}], Place)
    assert places.map(lambda p: {**p}).collect() == [{"x": 1, "y": 2}]
    assert places.map(lambda p: (p["x"], p.get("z", 0), "y" in p, "z" in p)).collect() == [
        (1, 0, True, False)]
    places.filter(lambda p: p["x"] > 0).explain()
    assert "stateless  <= 1         all" in capsys.readouterr().out
    with pytest.raises(ab.ProgramError, match="Place has no attribute 'z'"):
        places.map(lambda p: p["z"])
