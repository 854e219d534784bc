"""What the analysis says of filters, and what several workers share; texts without a program."""

from __future__ import annotations

import pytest

from anabranch.compile import compile_graph
from anabranch.core.errors import NothingToRunError, ProgramError
from anabranch.lang.streamit import load
from lang.streamit.streamit_support import COUNTER, PRINTER, graph_of, rows

FILTERS = """
int->int filter Add(int by) { work pop 1 push 1 { push(pop() + by); } }
int->int filter Sum { int sum = 0; work pop 1 push 1 { sum += pop(); push(sum); } }
int->int filter Pairs { work pop 2 push 1 { push(pop() - pop()); } }
int->int filter Differ { work pop 1 push 1 peek 2 { push(peek(1) - peek(0)); pop(); } }
int->int filter Draw { work pop 1 push 1 { push(pop() + (int) random()); } }
int->int filter Late { prework push 1 { push(0); } work pop 1 push 1 { push(pop()); } }
"""


def plan_of(*streams: str):
    added = "".join(f"add {each};" for each in streams)
    main = f"void->void pipeline Main {{ add Count(); {added} add Print(); }}"
    return compile_graph(graph_of(COUNTER + FILTERS + PRINTER + main, 2))


def said(plan, name: str) -> tuple[str, str, str]:
    facts = plan.facts[name]
    return str(facts.state.value), facts.state.reason, str(facts.selectivity.value)


@pytest.mark.parametrize(("stream", "state", "reason", "selectivity"), [
    ("Add(1)", "stateless", "a firing sees one item and keeps nothing", "= 1"),
    ("Sum()", "unpartitioned", "it changes its variable sum", "= 1"),
    ("Pairs()", "stateless in blocks", "a firing sees 2 items and keeps nothing", "<= 1"),
    ("Differ()", "stateless in blocks", "a firing sees 2 items and keeps nothing", "<= 1"),
    ("Draw()", "unpartitioned", "it draws random numbers, one after another", "= 1"),
    ("Late()", "unpartitioned", "its first firing is prework", "unbounded"),
])
def test_state_and_rates_are_facts(stream, state, reason, selectivity):
    assert said(plan_of(stream), stream.partition("(")[0]) == (state, reason, selectivity)


def test_a_reason_has_the_line_of_the_change():
    span = plan_of("Sum()").sequential["Sum"].span
    assert FILTERS.splitlines()[span.line - 2][span.column:].startswith("sum += pop()")


def test_what_takes_one_item_is_in_a_region_and_what_sees_several_in_blocks():
    plan = plan_of("Add(1)", "Pairs()", "Sum()")
    assert plan.region_of("Add") and "Add" not in plan.fissed
    assert plan.fissed == {"Pairs"} and plan.region_of("Pairs") is None


def test_firings_that_the_schedule_leaves_out_do_not_happen():
    """Of twenty items eleven are needed before the first period; the filter fails at the 16th."""
    tens = ("void->int filter Tens { int next = 0; work push 10 "
            "{ for (int i = 0; i < 10; i++) push(next++); } }")
    bad = "int->int filter Bad { work pop 1 push 1 { push(1 / (15 - pop())); } }"
    look = "int->int filter Look { work pop 10 push 1 peek 11 { push(peek(10)); pop(); } }"
    look = look.replace("pop(); }", "for (int i = 0; i < 10; i++) pop(); }")
    main = "void->void pipeline Main { add Tens(); add Bad(); add Look(); add Print(); }"
    assert rows(tens + bad + look + PRINTER + main, 0) == ""


def test_a_library_has_nothing_to_run_and_is_checked():
    with pytest.raises(NothingToRunError, match="void->void") as found:
        graph_of(FILTERS, 1)
    assert found.value.checked == "6 streams"
    wrong = FILTERS.replace("peek(0)", "peek(q)")
    with pytest.raises(ProgramError, match="nothing is called 'q'"):
        graph_of(wrong, 1)


def test_streams_are_found_on_the_include_path(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "Twice.str").write_text("int->int pipeline Twice { add One(); add One(); }")
    (tmp_path / "lib" / "One.str").write_text(FILTERS.replace("Add(int by)", "One").replace(
        "+ by", "+ 1"))
    program = tmp_path / "main.str"
    program.write_text(
        COUNTER + PRINTER + "void->void pipeline Main { add Count(); add Twice(); add Print(); }")
    with pytest.raises(ProgramError, match="no stream is called 'Twice'"):
        load(program, {})
    graph = load(program, {}, include_path=str(tmp_path / "lib"))
    assert {"One", "One_2"} <= {op.name for op in graph}
