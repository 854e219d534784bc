"""A wrong program ends in one clear message, which underlines what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.core.errors import AnabranchError, ProgramError, RunError
from lang.streamit.streamit_support import COUNTER, PRINTER, blocks, graph_of, printing, rows

BEFORE = COUNTER + PRINTER
MAIN = "void->void pipeline Main { add Count; %s add Print; }"
WRONG = [
    *(MAIN % middle for middle in (
        "add Missing;", "add Print(1);", "body Identity<int>;",
        "split duplicate;", "enqueue 1;", "add FileReader<int>(\"x\");", "add Identity<float>;",
        "add int->int filter { work pop 1 push 1 { push(0.5 * pop()); } };",
        "add int->int filter { work pop 1 push 1 { push(pop()); pop(); } };",
        "add int->int filter { work pop 1 push 2 { for (int i = 0; i < 3; i++) push(i);"
        " pop(); } };",
        "add int->int filter { work pop 1 push 1 { if (pop() > 0) { push(1); push(2); } } };",
        "add int->int filter { init { pop(); } work pop 1 push 1 { push(pop()); } };",
        "add int->int filter { int x; int x; work pop 1 push 1 { push(pop()); } };",
        "add int->int filter { int x; };",
        "add int->int filter { work pop 0 - 1 push 1 { push(1); } };",
        "add int->void filter { work pop 1 { push(pop()); } };",
        "add splitjoin { split roundrobin(1, 2, 3); add Identity<int>; add Identity<int>;"
        " join roundrobin; };",
        "add splitjoin { split duplicate; add Identity<int>; add int->int filter { work pop 1"
        " push 2 { push(1); push(pop()); } }; join roundrobin; };",
        "add splitjoin { split duplicate; join roundrobin; };",
        "add int->int feedbackloop { join roundrobin; body int->int filter { work pop 2 push 1 {"
        " push(pop() + pop()); } }; loop Identity<int>; split duplicate; };",
        "add int->int feedbackloop { join roundrobin; body int->int filter { work pop 2 push 1"
        " peek 8 { push(pop() + pop()); } }; loop Identity<int>; split duplicate; enqueue 0; };",
        "add int->int feedbackloop { join roundrobin; loop Identity<int>; split duplicate; };",
        "int x = 1.5;", "float[2] a = {1, 2, 3};",
        "int x = \"a\";", "add Loop();",
        "add int->float pipeline { add Identity<int>; };", "add pipeline { add Print; };",
        "add splitjoin { split duplicate; add Identity<int>; add int->float filter { work pop 1"
        " push 1 { push(pop()); } }; join roundrobin; };",
        "add splitjoin { split duplicate; add Identity<int>; join duplicate; };",
        "add int->int filter { work pop 2 push 1 peek 1 { push(pop()); } };",
        "add int->int filter { work pop 1 push 1 { while (peek(0) > 0) { push(1); } pop();"
        " undeclared(); } };",
        "add int->int filter { int f(int x) { return x; } work pop 1 push 1 { push(f(pop(), 1)); }"
        " };", "add int->int filter { void f() { } work pop 1 push 1 { push(f()); pop(); } };",
        "add int->int filter { work pop [2, 3] push 1 { push(pop()); } };",
        "add int->int filter { work pop [4, 3] push 1 { push(pop()); } };",
        "portal<Nobody> p;", "portal<Count> p; add Identity<int>() to p;", "int p; add Count to p;",
        "add int->int filter { handler h() { pop(); } work pop 1 push 1 { push(pop()); } };",
    )),
    *(printing(statements) for statements in (
        "x = 1;", "int x = sqroot(2);", "println(1 +);", "println(sin(1, 2));", "int x; x.a = 1;",
        "int[2] a; a = 1;", "break;", "println(\"a\" * 2);", "int x = 1; int x = 2;",
        "str s;", "if (\"a\") ;", "/* open", "return 1;", "peek(0);",
        "float f = 1.0; f = f & 1;", "println(pop());", "println(random(1));",
        "int[2] a = init_array_1D_int(2);",
    )),
    "void->void pipeline Main { add filter { work pop 1 { println(pop()); } }; }",
    "void->int filter Count { work push 1 { push(1); } }", "", "void->void pipeline Main { }}",
    "struct S { int a; } " + printing("S s; s.b = 1;"),
    "native N { int f(int x); } " + printing("println(N.f(1));"),
    printing("", "int[2] a = init_array_1D_int(\"missing.txt\", 2);"),
    "void->void pipeline Main { add Main2(); } void->void pipeline Main2 { add Main2(); }",
    "struct P { int a; Q q; } struct Q { P[2] p; }" + MAIN % "",
    "struct P { int[N] a; } static { P p; int N = 3; }" + MAIN % "",
]


def message(text: str) -> str:
    with pytest.raises(ProgramError) as caught:
        rows(text, 1)
    return str(caught.value)


def test_messages(golden):
    loop = "int->int pipeline Loop { while (true) add Identity<int>; }"
    texts = [f"{BEFORE}{loop}\n{text}" if "Count" in text and "Main" in text else text
             for text in WRONG]
    golden("streamit/errors.txt", "\n\n".join(map(message, texts)) + "\n")


@pytest.mark.parametrize("name", ["pi", "true", "false"])
def test_a_constant_cannot_be_declared(name):
    assert f"= came: '{name}'" in message(printing(f"float {name} = 3; println({name});"))


FAILING = {
    "int x = 0; println(1 / x);": "an integer is divided by zero",
    "int x = 7; int[3] a; a[x] = 1;": "an index is out of its range",
    "int x = 0 - 1; int[3] a; println(a[x]);": "an index is out of its range",
    "int x = 0 - 1; int[x] a;": "an array cannot have this length",
}


@pytest.mark.parametrize("statements", FAILING)
def test_failures_while_running(statements):
    with pytest.raises(RunError, match=FAILING[statements]) as caught:
        rows(printing(statements), 1)
    assert caught.value.where.line == 3


def test_what_is_not_supported_may_stand_unused():
    unused = ("int->int filter Odd(portal<Print> p) { handler h(int x) { } work pop * push [1, 2] {"
              " p.h(1)[2:3]; } } int->int pipeline Odder { portal<Odd> p; add Odd(p) to p; }")
    assert rows(BEFORE + unused + MAIN % "", 2) == "0\n1\n"


def test_rates_that_the_text_does_not_tell():
    text = BEFORE + MAIN % ("add int->int filter { work pop 1 push 1 { int n = pop();"
                            " while (n > 0) { push(n); n--; } } };")
    for way in (rows, blocks):
        with pytest.raises(RunError, match="keep to its rates"):
            way(text, 3)


def test_peeking_too_far():
    text = BEFORE + MAIN % ("add int->int filter { work pop 1 push 1 { push(peek(pop() + 1)); } };")
    for way in (rows, blocks):
        with pytest.raises(RunError, match="out of its range"):
            way(text, 1)


WORDS = ("add pop() push ( ) { } ; , int float x 1 2.5 = + - * / % < == && filter work init for"
         " while if else pipeline splitjoin join split roundrobin duplicate -> void peek [ ] . ++"
         " println")
PIECES = st.sampled_from(WORDS.split())


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=12), st.integers(0, 400), st.integers(0, 400))
def test_damaged_programs_end_in_our_error(pieces, place, length):
    whole = BEFORE + MAIN % "add int->int filter { work pop 1 push 1 { push(2 * pop() + 1); } };"
    damaged = whole[:place] + " ".join(pieces) + whole[place + length % 20:]
    try:
        rows(damaged, 1) if graph_of(damaged, 1).sinks else None
    except AnabranchError as error:
        assert str(error).startswith("error: ")


@pytest.mark.parametrize("statements", [
    "push(" + "(" * 300 + "pop()" + " + 1)" * 300 + ");",
    "push(pop()); " + "if (true) { " * 120 + "}" * 120])
def test_statements_nested_deeper_than_python_allows(statements):
    text = BEFORE + MAIN % f"add int->int filter {{ work pop 1 push 1 {{ {statements} }} }};"
    with pytest.raises(ProgramError, match="this is nested too deeply") as caught:
        graph_of(text, 1)
    assert caught.value.where.line == 3
