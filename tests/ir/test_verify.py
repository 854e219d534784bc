"""Every invariant of a graph, broken once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anabranch.core.errors import ProgramError
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph, Operator, Queue, Variable
from anabranch.ir.operators import Apply, Barrier, Map, Routine, Sink, Source, Split, Union
from anabranch.ir.records import Record, State
from anabranch.ir.text import parse
from anabranch.ir.types import ANY, RecordOf
from anabranch.ir.verify import verify
from anabranch.ir.windows import Keep, WindowJoin


class Quote(Record):
    symbol: str
    price: float


class Seen(State):
    count: int = 0


def F(item, port, *variables):
    return [[item]], list(variables)


SAME = Map(Function(str, "same"))


def river(text: str, **variables) -> Graph:
    return parse(text, {"F": F, "same": SAME, "Quote": Quote}, variables)


def graph_of(*operators: Operator, variables=()) -> Graph:
    names = dict.fromkeys(q for op in operators for q in op.outputs)
    return Graph(operators, tuple(map(Queue, names)), tuple(map(Variable, variables)))


def error_of(graph: Graph) -> ProgramError:
    with pytest.raises(ProgramError) as raised:
        verify(graph)
    return raised.value


SOURCE = Operator("a", Source(), (), ("a",))
SINK = Operator("out", Sink(), ("b",))
SOUND = graph_of(SOURCE, Operator("b", SAME, ("a",), ("b",)), SINK)


def test_a_sound_graph_is_given_back():
    assert verify(SOUND) is SOUND


def test_a_loop_with_an_entry_is_sound():
    verify(parse("input a; (b) <- both(a, c); (c, d) <- F(b); output d;",
                 {"both": Union(2), "F": F}))


BROKEN = {
    "two operators are called 'a'": graph_of(
        SOURCE, Operator("a", SAME, ("a",), ("b",)), SINK),
    "two queues are called 'a'": replace(SOUND, queues=(*SOUND.queues, Queue("a"))),
    "two variables are called '$v'": replace(SOUND, variables=(Variable("$v"),) * 2),
    "c writes 'b', which b writes already": graph_of(
        *SOUND, Operator("c", SAME, ("a",), ("b",))),
    "b writes 'b', which is not declared": replace(SOUND, queues=(Queue("a"),)),
    "nothing writes 'x'": replace(SOUND, queues=(*SOUND.queues, Queue("x"))),
    "b reads 'x', which nothing writes": graph_of(
        SOURCE, Operator("b", SAME, ("x",), ("b",)), SINK),
    "nothing reads 'b'": graph_of(SOURCE, Operator("b", SAME, ("a",), ("b",))),
    "b uses $v, which is not declared": graph_of(
        SOURCE, Operator("b", SAME, ("a",), ("b",), ("$v",)), SINK),
    "b names $v twice": graph_of(
        SOURCE, Operator("b", SAME, ("a",), ("b",), ("$v", "$v")), SINK, variables=["$v"]),
    "b (apply) keeps state but has no variable": graph_of(
        SOURCE, Operator("b", Apply(Function(F, "F"), Seen), ("a",), ("b",)), SINK),
    "b takes other variables than its function": graph_of(
        SOURCE, Operator("b", Routine(Function(F, "F"), 0, (0,)), ("a",), ("b",), ("$v",)), SINK,
        variables=["$v"]),
    "the source a stands after an operator that reads it": river(
        "(b) <- F(a); input a; output b;"),
    "the sink out stands before the operator that writes it": graph_of(
        SOURCE, SINK, Operator("b", SAME, ("a",), ("b",))),
    "no item ever reaches F": river("input x; output x; (b) <- F(c); (c, d) <- F(b); output d;"),
    "there is no annotation @Key": river("input a; @Key(x) (b) <- F(a); output b;"),
    "there is no annotation @Kyes": river("input a; @Kyes(x) (b) <- F(a); output b;"),
    "there is no annotation @parallel": river("input a; @parallel() (b) <- F(a); output b;"),
    "F has two annotations @Pure": river("input a; @Pure() @Pure() (b) <- F(a); output b;"),
    "Quote has no attribute 'prise'": river(
        "input a : Quote; @Keys(prise) (b) <- F(a); output b;"),
    "int has no attribute 'price'": river("input a : int; @Keys(price) (b) <- F(a); output b;"),
    "Quote has no attribute 'ts'": river("input a : Quote time ts; output a as out;"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_each_broken_invariant_has_its_error(what):
    assert error_of(BROKEN[what]).what == what


def with_ports(kind, inputs: int, outputs: int) -> Graph:
    b = Builder()
    queues = [b.add(f"s{i}", Source(), (), [ANY])[0] for i in range(inputs)]
    outs = b.add("x", kind, queues, [ANY] * outputs)
    for q in outs:
        b.add("out", Sink(), [q])
    return b.graph()


JOIN = WindowJoin((), (), (Keep(1), Keep(1)), Function(F, "F"))


@pytest.mark.parametrize("kind, inputs, outputs, expected", [
    (SAME, 2, 1, "1 input"), (SAME, 1, 2, "1 output"), (Union(3), 2, 1, "3 inputs"),
    (Barrier(2, Function(F, "F")), 3, 1, "2 inputs"), (JOIN, 1, 1, "2 inputs"),
    (Split((Function(F, "F"),)), 1, 1, "2 outputs"), (Apply(Function(F, "F")), 2, 1, "1 input"),
    (Source(), 1, 1, "0 inputs")])
def test_ports_must_fit_the_kind(kind, inputs, outputs, expected):
    error = error_of(with_ports(kind, inputs, outputs))
    assert error.expected == expected
    assert error.what.startswith("x (")


@pytest.mark.parametrize("kind, inputs, outputs", [
    (SAME, 1, 1), (Union(3), 3, 1), (JOIN, 2, 1), (Split((Function(F, "F"),)), 1, 2),
    (Routine(Function(F, "F")), 3, 2)])
def test_ports_that_fit_pass(kind, inputs, outputs):
    verify(with_ports(kind, inputs, outputs))


@pytest.mark.parametrize("annotation", [
    "@Keys()", "@Keys(1)", "@Fuse()", "@Group(a, b)", "@Parallel(4)", "@Selectivity(1)",
    "@Selectivity(2, 1)", "@Selectivity(-1, 1)", "@Selectivity(*, 1)", "@Forwards(1)"])
def test_wrong_arguments_are_refused(annotation):
    error = error_of(river(f"input a; {annotation} (b) <- F(a); output b;"))
    assert error.what == "an annotation of F has wrong arguments"
    assert error.got == annotation


@pytest.mark.parametrize("annotation", [
    "@Keys(symbol, price)", '@Keys("*")', "@Fuse(1)", "@Group(left)", "@Parallel()", "@Pure()",
    "@Selectivity(0, *)", "@Selectivity(1, 1)", "@Forwards(symbol, price=price)", "@Placed(here)"])
def test_right_and_foreign_annotations_pass(annotation):
    verify(river(f"input a : Quote; {annotation} (b : Quote) <- F(a); output b;"))


def test_forwarded_attributes_must_exist_on_their_side():
    text = "input a : Quote; @Forwards({}) (b : int) <- F(a); output b;"
    assert error_of(river(text.format("x=price"))).what == "int has no attribute 'x'"


def test_an_error_points_at_the_operator_and_suggests():
    error = error_of(river("input a : Quote;\n@Keys(prise)\n(b) <- F(a);\noutput b;"))
    assert str(error) == """\
error: Quote has no attribute 'prise'
  --> <river>:3:1
    |
  3 | (b) <- F(a);
    | ^^^^^^^^^^^^
  = help: did you mean 'price'?"""


def test_keys_of_a_source_are_those_of_its_items():
    b = Builder()
    [q] = b.add("a", Source(), (), [RecordOf(Quote)], [Annotation("Keys", ("x",))])
    b.add("out", Sink(), [q])
    assert error_of(b.graph()).what == "Quote has no attribute 'x'"


def test_an_unknown_type_lets_every_attribute_pass():
    verify(river("input a; @Keys(anything) (b) <- F(a); output b;"))
