"""Messages come exactly where the items of their sender are, upstream and downstream."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.core.errors import ProgramError, RunError
from lang.streamit.streamit_support import COUNTER, PRINTER, graph_of, rows

BEFORE = COUNTER + PRINTER
SENDER = ("int->int filter Sender(portal<Gets> p) { int n; work pop %d push %d { n++;"
          " if (n == %d) p.set(n)%s; for (int i = 0; i < %d; i++) push(0);"
          " for (int i = 0; i < %d; i++) pop(); } }")
GETS = ("int->int filter Gets { int g; handler set(int v) { g = v; } work pop %d push %d peek %d {"
        " for (int i = 0; i < %d; i++) push(g); for (int i = 0; i < %d; i++) pop(); } }")


def program(middle: str, *declarations: str) -> str:
    return (BEFORE + "\n".join(declarations)
            + f"\nvoid->void pipeline Main {{ portal<Gets> p; add Count; {middle} add Print; }}")


def first_with_message(text: str, iterations: int, push: int) -> int | None:
    """The firing of the receiver that is the first to have the message, from 1 on."""
    seen = rows(text, iterations).split()[::push]
    return next((place for place, value in enumerate(seen, 1) if value != "0"), None)


def needed(firing: int, push: int, pop: int, peek: int) -> int:
    """How often something that gives `push` items has fired before a firing behind it."""
    return -(-((firing - 1) * pop + peek) // push)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 3),
       st.integers(1, 4), st.integers(-3, 3))
def test_downstream(sender_pop, sender_push, pop, more, sent, latency):
    peek = pop + more
    text = program("add Sender(p); add Gets() to p;",
                   SENDER % (sender_pop, sender_push, sent, f"[{latency}:{latency}]", sender_push,
                             sender_pop), GETS % (pop, 1, peek, 1, pop))
    expected = next(m for m in range(1, 99)
                    if needed(m, sender_push, pop, peek) >= sent + latency)
    assert first_with_message(text, 30, 1) == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4),
       st.integers(0, 3))
def test_upstream(push, pop, again, sent, latency):
    """The message comes after the last firing that the sender's firing depends on."""
    text = program("add Gets() to p; add int->int filter { work pop 1 push 1 { println(pop());"
                   " push(0); } }; add Sender(p); add int->void filter { work pop 1 { pop(); } };",
                   GETS % (1, push, 1, push, 1),
                   SENDER % (pop, again, sent, f"[{latency}:{latency}]", again, pop))
    text = text.replace(" add Print;", "")
    expected = needed(sent + latency, push, pop, pop) + 1
    assert first_with_message(text, 40, push) == expected


MESSAGES = {
    "no latency is zero": ("p.set(n);", "0 0 3 3"),
    "only the lowest": ("p.set(n)[1:];", "0 0 0 3"),
    "only the highest": ("p.set(n)[:4];", "0 0 3 3"),
    "as soon as possible": ("p.set(n)[*];", "0 0 3 3"),
    "in the order in which they are sent": ("p.set(8)[1:1]; p.set(7); p.set(9)[1:1];", "0 0 7 9"),
    "the latency is a parameter": ("p.set(n)[L:L + 1];", "0 0 0 3"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_statements(name):
    sends, expected = MESSAGES[name]
    sender = (f"int->int filter Sender(portal<Gets> p, int L) {{ int n; work pop 1 push 1 {{ n++;"
              f" if (n == 3) {{ {sends} }} push(pop()); }} }}")
    text = program("add Sender(p, 1); add Gets() to p;", sender, GETS % (1, 1, 1, 1, 1))
    assert rows(text, 4).split() == expected.split()


def test_several_receivers_and_arguments():
    text = BEFORE + """
        struct Pair { int a; int b; }
        int->int filter Sender(portal<Gets> p) { work pop 1 push 1 { int x = pop(); Pair q;
            int[2] more = {x, 7}; q.a = x; q.b = 2; if (x == 2) p.both(q, more, 0.5);
            q.a = 99; more[0] = 99; push(x); } }
        int->int filter Gets { int g; void add_up(int v) { g += v; }
            handler both(Pair q, int[2] more, float f) { add_up(q.a); g += more[0] + more[1];
                println(f); }
            work pop 1 push 1 { push(100 * g + pop()); } }
        void->void pipeline Main { portal<Gets> p; add Count; add Sender(p); add splitjoin {
            split duplicate; add Gets() to p; add pipeline { add Identity<int>; add Gets() to p; };
            join roundrobin; }; add Print; }"""
    assert rows(text, 4).split() == ["0", "0", "1", "1", "0.500000", "0.500000", "1102", "1102",
                                     "1103", "1103"]


def test_messages_around_a_loop_and_in_prework():
    text = BEFORE + """
        int->int filter Gets { int g; handler set(int v) { g = v; }
            work pop 1 push 1 { push(10 * g + pop()); } }
        int->int filter Sender(portal<Gets> p) {
            prework pop 1 push 1 { p.set(5)[2:2]; push(pop()); }
            work pop 1 push 1 { push(pop()); } }
        void->void pipeline Main { portal<Gets> p; add Count; add Gets() to p; add Sender(p);
            add Print; }"""
    assert rows(text, 6).split() == ["0", "1", "2", "53", "54", "55"]


WRONG = {
    "sent too late upstream": (
        "add Gets() to p; add Sender(p);", "[-1:-1]", "no schedule meets the latencies"),
    "no path": ("add splitjoin { split duplicate; add Gets() to p; add Sender(p);"
                " join roundrobin; };", "[0:0]", "has no latency"),
    "a latency that only the firing knows": ("add Sender(p); add Gets() to p;", "[i:i]",
                                             "nothing is called 'i'"),
    "no handler": ("add Sender(p); add Gets() to p;", ".other", "no handler 'other'"),
    "wrong arity": ("add Sender(p); add Gets() to p;", "(1, 2)", "another number of values"),
    "no portal": ("int q; add Sender(p); add Gets() to q;", "[0:0]", "added to portals only"),
    "no filter": ("add Sender(p); add Identity<int> to p;", "[0:0]", "only a filter takes"),
    "another filter": ("add Sender(p); add Count2() to p;", "[0:0]", "no handler 'set'"),
    "unknown filter": ("portal<Nobody> n; add Sender(p); add Gets to p;", "[0:0]", "no filter"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be(name):
    middle, latency, problem = WRONG[name]
    sent = {".other": "p.other(1)", "(1, 2)": "p.set(1, 2)"}.get(latency, f"p.set(1){latency}")
    sender = ("int->int filter Sender(portal<Gets> p) { work pop 1 push 1 {"
              f" for (int i = 0; i < 1; i++) {sent}; push(pop()); }} }}")
    other = "int->int filter Count2 { work pop 1 push 1 { push(pop()); } }"
    with pytest.raises(ProgramError, match=problem):
        graph_of(program(middle, sender, other, GETS % (1, 1, 1, 1, 1)), 1)


def test_handlers_have_no_tapes():
    gets = ("int->int filter Gets { handler set(int v) { pop(); }"
            " work pop 1 push 1 { push(pop()); } }")
    with pytest.raises(ProgramError, match="there is no tape here"):
        graph_of(program("add Gets;", gets), 1)
    through = ("int->int filter Gets { void take() { pop(); } handler set(int v) { take(); }"
               " work pop 1 push 1 { push(pop()); } }")
    sender = SENDER % (1, 1, 1, "", 1, 1)
    with pytest.raises(RunError, match="more items than its rates say"):
        rows(program("add Sender(p); add Gets() to p;", sender, through), 2)


def test_portals_without_messages_are_compiled_as_ever():
    text = program("add Gets() to p;", GETS % (1, 1, 1, 1, 1))
    assert [op.name for op in graph_of(text, 1).operators] == ["clock", "Count", "Gets", "Print",
                                                               "print"]


def test_a_handler_is_a_function_of_its_filter():
    gets = ("int->int filter Gets { int g; int[2] seen; init { set(7); }"
            " handler set(int v) { g = v; note(seen); } handler note(int[2] a) { a[0]++; }"
            " work pop 1 push 1 { if (peek(0) == 3) set(40); push(pop() + g + 100 * seen[0]); } }")
    text = program("add Sender(p); add Gets() to p;", gets, SENDER % (1, 1, 1, "", 1, 1))
    assert rows(text.replace("push(0)", "push(n)"), 4).split() == ["202", "203", "343", "344"]


ANONYMOUS = {
    "a call": "add filter { work pop 1 push 1 { if (peek(0) == 2) p.set(9); push(pop()); } };",
    "in a function": "add filter { void go() { p.set(9); } work pop 1 push 1 {"
                     " if (peek(0) == 2) go(); push(pop()); } };",
    "in streams": "add pipeline { add splitjoin { split roundrobin; add filter { work pop 1 push 1"
                  " { if (peek(0) == 2) p.set(9); push(pop()); } }; join roundrobin; }; };",
}


@pytest.mark.parametrize("name", ANONYMOUS)
def test_an_anonymous_filter_sends_to_a_portal_around_it(name):
    gets = ("int->int filter Gets { int g; handler set(int v) { g = v; }"
            " work pop 1 push 1 { push(pop() + g); } }")
    text = program(f"{ANONYMOUS[name]} add Gets() to p;", gets)
    assert rows(text, 4).split() == ["0", "1", "11", "12"]
