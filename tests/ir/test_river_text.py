"""The `.river` language: what is read, what is printed, and the exact errors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anabranch.core.errors import ProgramError
from anabranch.io.python.objects import IterableSource, ListSink
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import Apply, Filter, Map, Routine, Sink, Source, Split, Union
from anabranch.ir.records import Record, State
from anabranch.ir.text import functions_of, parse, show
from anabranch.ir.types import INT, STR, ListOf, OptionalOf, RecordOf


class Quote(Record):
    symbol: str
    price: float


class Total(State):
    amount: float = 0.0


def SelectIBM(item, port):
    return [[item] if item.symbol == "IBM" else []], []


def Window(item, port):
    return [], [item]


def SaleJoin(item, port, last):
    return [[(item, last)]], []


def Count(item, port, count):
    return [[(count + 1, item)]], [count + 1]


FUNCTIONS = {"SelectIBM": SelectIBM, "Window": Window, "SaleJoin": SaleJoin, "Count": Count,
             "Quote": Quote}
VARIABLES = {"lastAsk": ("IBM", float("inf")), "cnt": 0}

MARKET_MAKER = """
output result;
input bids : Quote, asks : Quote;   // two inputs
(ibmBids) <- SelectIBM(bids);
(ibmAsks) ← SelectIBM(asks);
($lastAsk) <- Window(ibmAsks);      /* state
                                       alone */
(ibmSales) <- SaleJoin(ibmBids, $lastAsk);
@Keys(symbol) @Parallel() @Selectivity(0, *)
(result, $cnt) <- Count(ibmSales, $cnt);
"""

PRINTED = """\
input bids : Quote;
input asks : Quote;
(ibmBids) <- SelectIBM(bids);
(ibmAsks) <- SelectIBM(asks);
($lastAsk) <- Window(ibmAsks);
(ibmSales) <- SaleJoin(ibmBids, $lastAsk);
@Keys(symbol) @Parallel() @Selectivity(0, *)
(result, $cnt) <- Count(ibmSales, $cnt);
output result;
"""


def market_maker() -> Graph:
    return parse(MARKET_MAKER, FUNCTIONS, VARIABLES)


def test_the_market_maker_is_printed_in_graph_order():
    assert show(market_maker()) == PRINTED


def test_operators_are_called_after_functions_and_ends_after_queues():
    assert [op.name for op in market_maker()] == [
        "bids", "asks", "SelectIBM", "SelectIBM_2", "Window", "SaleJoin", "Count", "result"]


def test_a_function_becomes_a_routine_with_the_counts_of_its_variables():
    kinds = {op.name: op.kind for op in market_maker()}
    assert kinds["bids"] == Source() and kinds["result"] == Sink()
    assert kinds["Window"] == Routine(Function(Window, "Window"), 0, (0,))
    assert kinds["SaleJoin"] == Routine(Function(SaleJoin, "SaleJoin"), 1, ())
    assert kinds["Count"] == Routine(Function(Count, "Count"), 1, (0,))


def test_types_and_annotations_are_read():
    graph = market_maker()
    assert graph.queue("bids").type == RecordOf(Quote)
    assert graph["Count"].annotations == (
        Annotation("Keys", ("symbol",)), Annotation("Parallel"),
        Annotation("Selectivity", (0, None)))


def test_every_start_has_its_own_copy_of_a_variable():
    [variable] = parse("input a; ($seen) <- Window(a);", FUNCTIONS, {"seen": []}).variables
    variable.initial().append(1)
    assert variable.initial() == []


def test_a_factory_makes_the_first_value():
    [variable] = parse("input a; ($seen) <- Window(a);", FUNCTIONS, {"$seen": dict}).variables
    assert variable.initial() == {}


def test_spans_point_at_the_clause():
    span = market_maker()["Count"].span
    assert (span.line, span.column, span.end_column) == (10, 0, 40)
    assert span.text == "(result, $cnt) <- Count(ibmSales, $cnt);"


def python_graph() -> Graph:
    b = Builder()
    [people] = b.add("people", Source(IterableSource([]), time="symbol"), (), [RecordOf(Quote)])
    [adults] = b.add("adults", Filter(Function.of(lambda q: True)), [people], [RecordOf(Quote)])
    parts = b.add("parts", Split((Function(str.isalpha, "isalpha"),)), [adults],
                  [ListOf(INT), OptionalOf(STR)])
    [both] = b.add("both", Union(2, on="symbol"), parts, [RecordOf(Quote)])
    kind = Apply(Function(print, "running"), Total, ("symbol",))
    [totals] = b.add("totals", kind, [both], [INT], [Annotation("Fuse", ("a b",))])
    b.add("out file", Sink(ListSink([])), [totals])
    b.add("totals", Sink(), [totals])
    return b.graph()


PYTHON_PRINTED = """\
input people : Quote from source;
(adults : Quote) <- filter(people);
(parts.0 : list[int], parts.1 : str | None) <- split.isalpha(adults);
(both : Quote, $both) <- union(parts.0, parts.1, $both);
@Fuse("a b")
(totals : int, $totals) <- apply.running(both, $totals);
output totals to sink as `out file`;
output totals as totals_2;
"""


def test_a_graph_of_the_python_api_is_printed_and_read_again():
    graph = python_graph()
    assert show(graph) == PYTHON_PRINTED
    assert parse(show(graph), functions_of(graph)) == graph


def test_the_order_of_queues_and_variables_survives():
    graph = market_maker()
    turned = Graph(graph.operators, graph.queues[::-1], graph.variables[::-1])
    assert show(turned).startswith(
        "queues result, ibmSales, ibmAsks, ibmBids, asks : Quote, bids : Quote;\n"
        "variables $cnt, $lastAsk;\n")
    assert parse(show(turned), functions_of(turned)) == turned


def test_equal_kinds_that_differ_in_what_is_not_compared_keep_their_own_names():
    text = "input a; (b) <- one(a); (c) <- two(a); output b; output c;"
    one, two = Map(Function(str, "f")), Map(Function(str, "f"))
    graph = parse(text, {"one": one, "two": two})
    again = parse(show(graph), functions_of(graph))
    assert again["b_2"].kind is one and again["c_2"].kind is two


def test_routines_of_one_name_and_records_named_like_scalars_are_told_apart():
    timestamp = type(Record)("timestamp", (Record,), {"__annotations__": {"x": int}})
    b = Builder()
    [a] = b.add("a", Source(), (), [RecordOf(timestamp)])
    [one] = b.add("one", Routine(Function(Window, "f")), [a], [INT])
    [two] = b.add("two", Routine(Function(SelectIBM, "f")), [one], [INT])
    b.add("out", Sink(), [two])
    assert show(b.graph()) == """\
input a : timestamp_2;
(one : int) <- f(a) as one;
(two : int) <- f_2(one) as two;
output two as out;
"""
    assert parse(show(b.graph()), functions_of(b.graph())) == b.graph()


def test_keywords_are_names_where_no_keyword_can_stand():
    graph = parse("input input; (time : int, $as) <- Count(input, $as) as from; output time;",
                  FUNCTIONS, {"as": 0})
    assert [op.name for op in graph] == ["input", "from", "time"]
    assert parse(show(graph), functions_of(graph)) == graph


def test_a_stateful_kind_has_a_variable_of_its_own():
    kind = Apply(Function(print, "f"), Total, ("symbol",))
    graph = parse("input a; (b) <- f(a); output b;", {"f": kind})
    assert graph["b_2"].reads == graph["b_2"].writes == ("$b_2",)
    assert graph.variables[0].initial == kind.start


def test_annotation_values_keep_their_types():
    values = ("a", "x=y", "a b", 'say "x"', "True", True, 7, -1.5, None, "7", "*", "", "a=b=c")
    graph = parse("input a; output a;", {})
    first = replace(graph["a"], annotations=(Annotation("Any", values),))
    graph = graph.with_operators([first, *graph.operators[1:]])
    [again] = parse(show(graph), {})["a"].annotations
    assert again.arguments == values
    assert [type(v) for v in again.arguments] == [type(v) for v in values]


def test_what_cannot_be_written_is_refused():
    graph = parse("input a; output a;", {})
    odd = replace(graph["a"], annotations=(Annotation("Any", (object,)),))
    with pytest.raises(ProgramError, match="an annotation of a cannot be written"):
        show(graph.with_operators([odd]))


ERRORS = {
    "input a\noutput a;": """\
error: a ';' is missing
  --> <river>:1:8
    |
  1 | input a
    |        ^""",
    "input a; output a": """\
error: a ';' is missing
  --> <river>:1:18
    |
  1 | input a; output a
    |                  ^""",
    "input a;\n(b) <- Window(a": """\
error: the program ends too early
  --> <river>:2:16
    |
  2 | (b) <- Window(a
    |                ^
  = expected: ',' or ')'""",
    "input a;\n(b <- Window(a);": """\
error: this cannot stand here
  --> <river>:2:4
    |
  2 | (b <- Window(a);
    |    ^^
  = expected: ',', ')' or ':'
  = came: '<-'""",
    "ouput a;": """\
error: this cannot stand here
  --> <river>:1:1
    |
  1 | ouput a;
    | ^^^^^
  = expected: 'input', 'output', an annotation or '('
  = came: 'ouput'
  = help: did you mean 'output'?""",
    "input a, %;": """\
error: this cannot stand here
  --> <river>:1:10
    |
  1 | input a, %;
    |          ^
  = expected: a name
  = came: '%'""",
    "input a; /* never\nclosed": """\
error: this comment is not closed
  --> <river>:1:10
    |
  1 | input a; /* never
    |          ^
  = help: end it with */""",
    "@Group(1) input a, b;": """\
error: this cannot stand here
  --> <river>:1:18
    |
  1 | @Group(1) input a, b;
    |                  ^
  = expected: ';'
  = came: ','
  = help: an annotation belongs to one input or output: declare each by itself""",
    "input a;\n(b) <- SelctIBM(a);": """\
error: no function is called 'SelctIBM'
  --> <river>:2:8
    |
  2 | (b) <- SelctIBM(a);
    |        ^^^^^^^^
  = help: did you mean 'SelectIBM'?""",
    "input bids;\n(b) <- SelectIBM(bid);": """\
error: nothing writes the queue 'bid'
  --> <river>:2:18
    |
  2 | (b) <- SelectIBM(bid);
    |                  ^^^
  = help: did you mean 'bids'?""",
    "input a;\n(a) <- SelectIBM(a);": """\
error: the queue 'a' is written twice
  --> <river>:2:2
    |
  2 | (a) <- SelectIBM(a);
    |  ^
  = help: it is written in line 1 already; give one of them another name""",
    "input a : Qote;": """\
error: no type is called 'Qote'
  --> <river>:1:11
    |
  1 | input a : Qote;
    |           ^^^^
  = help: did you mean 'Quote'?""",
    "input a : list[set];": """\
error: no type is called 'set'
  --> <river>:1:16
    |
  1 | input a : list[set];
    |                ^^^
  = help: did you mean 'str'?""",
    "input a;\n($cmt) <- Window(a);": """\
error: the variable $cmt has no initial value
  --> <river>:2:2
    |
  2 | ($cmt) <- Window(a);
    |  ^^^^
  = help: give it one: `cmt = ...` beside its functions; did you mean 'cnt'?""",
    "input a;\n(b, $cnt, $cnt) <- Count(a);": """\
error: the variable $cnt stands here twice
  --> <river>:2:11
    |
  2 | (b, $cnt, $cnt) <- Count(a);
    |           ^^^^""",
    "input a; input b as a;": """\
error: another operator is called 'a' too
  --> <river>:1:21
    |
  1 | input a; input b as a;
    |                     ^""",
    "input a from file;": """\
error: no source is called 'file'
  --> <river>:1:14
    |
  1 | input a from file;
    |              ^^^^
  = help: there is: stored""",
    "input a;\n(b) <- stored(a);": """\
error: 'stored' is a source, not a function
  --> <river>:2:8
    |
  2 | (b) <- stored(a);
    |        ^^^^^^
  = help: write `input ... from stored;`""",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_underline_the_text(text):
    with pytest.raises(ProgramError) as raised:
        parse(text, {**FUNCTIONS, "stored": Source(IterableSource([]))}, VARIABLES)
    assert str(raised.value) == ERRORS[text]


def test_windows_line_ends_are_read():
    assert len(parse("input a;\r\noutput a; // end\r\n", {}).operators) == 2
