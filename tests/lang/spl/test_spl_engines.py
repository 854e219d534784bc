"""The same bytes on every engine, and what the region paper says of its programs."""

from __future__ import annotations

import pytest

from anabranch.compile import compile_graph, load
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.safety import PAPER
from applications.programs import answer
from golden.test_golden_rewrites import plan_text
from lang.spl.spl_support import EXAMPLES, HERE, printed
from rewrite.models import declared_facts

PROGRAMS = {path.stem: path for path in [*sorted(EXAMPLES.glob("*.spl")), HERE / "operators.spl",
                                         HERE / "types.spl"]}
MULTICORE = ({"workers": 1}, {"workers": 2, "slice_size": 100})


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return {name: printed(path.read_text()) for name, path in PROGRAMS.items()}


@pytest.mark.parametrize("options", MULTICORE, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_multicore_prints_the_same(name, options, expected):
    knobs = {"tune": {"slice_size": options["slice_size"]}} if "slice_size" in options else {}
    assert expected[name].count("\n") > 10
    assert printed(PROGRAMS[name].read_text(), engine="multicore", workers=options["workers"],
                   **knobs) == expected[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_spark_prints_the_same(name, expected, spark):
    assert printed(PROGRAMS[name].read_text(), engine="spark") == expected[name]


def rows(text: str) -> list[list[str]]:
    return [line.replace('"', "").split(",") for line in text.splitlines()]


def test_network_monitoring_tells_what_the_python_program_tells(expected):
    assert rows(expected["network_monitoring"]) == [list(map(str, a)) for a in answer(
        "network_monitoring")]


def test_same_tag_tells_what_the_python_program_tells(expected):
    assert sorted(rows(expected["same_tag"])) == sorted(
        list(map(str, found)) for found in answer("same_tag"))


def test_pagerank_tells_what_the_python_program_tells(expected):
    told = {int(page): float(rank) for page, rank in rows(expected["pagerank"])}
    assert told == pytest.approx({r.page: r.rank for r in answer("pagerank")})


def test_bargains_are_those_of_the_python_program(expected):
    told = [(int(ts), symbol, float(ask)) for ts, symbol, ask, *_ in rows(expected["finance"])]
    assert told == [(b.ts, b.symbol, b.ask) for b in answer("finance")]


def test_figure_5_has_the_regions_of_the_paper(golden):
    graph = load(HERE / "figures" / "figure_5.spl")
    golden("plans/figure_5.txt", plan_text(form(graph, declared_facts(graph), PAPER)))


def test_figure_1_has_the_regions_of_the_paper():
    plan = compile_graph(load(HERE / "figures" / "figure_1.spl"))
    assert [(r.operators, r.key) for r in plan.regions] == [
        (("Messages",), ("server",)),
        (("Summaries.window", "Summaries", "Suspects"), ("uid",))]
    assert [(j.kind.name, j.at, str(j.routing), j.ordering.name) for j in plan.joints] == [
        ("PARALLEL_SOURCE", "Messages", "hash(server)", "SEQNO_PULSES"),
        ("SHUFFLE", "Messages", "hash(uid)", "SEQNO_PULSES"),
        ("MERGE", "Suspects", "None", "SEQNO_PULSES")]


def test_a_custom_with_maps_by_one_attribute_is_partitioned_by_it():
    plan = compile_graph(load(EXAMPLES / "network_monitoring.spl"))
    assert [r.key for r in plan.regions] == [(), ("server",), ("uid",)]
