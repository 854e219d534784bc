"""Machines: the same output as item by item, whatever the blocks, the buffers and the workers."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from types import ModuleType
from unittest.mock import patch

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from anabranch.core.errors import AnabranchError, RunError
from anabranch.lang.streamit.execution import blocks as whole
from anabranch.lang.streamit.execution.machine import group, state, text
from anabranch.lang.streamit.execution.machine import text as compile
from lang.streamit.streamit_support import COUNTER, PRINTER, blocks, rows
from lang.streamit.test_streamit_generated import STREAMS

# What NumPy warns of, compiled code just does: integers wrap around.
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar")


def interpreted(source: str) -> ModuleType:
    """A module of machine code that is not compiled: random programs would take too long."""
    module = ModuleType(f"interpreted_{abs(hash(source))}")
    sys.modules[module.__name__] = module
    exec(source.replace("@compiled\n", ""), module.__dict__)
    return module


@contextmanager
def small_machines(items: int):
    """Machines that are interpreted, with blocks and buffers of about so many items."""
    with (patch.object(compile, "module_of", interpreted),
          patch.object(text, "module_of", interpreted), patch.object(whole, "ITEMS", 5 * items),
          patch.object(whole, "FEWEST", items),
          patch.object(group, "ITEMS", items), patch.object(state, "RECORDS", 3)):
        yield


def printing_too(stream: str) -> str:
    """The stream, whose filters print what they see."""
    shown = re.sub(r"(peek \d+ \{)", r'\1 print("s"); println(peek(0));', stream)
    return shown.replace("{ int s; ", "{ int s; init { println(100); } ")


@settings(max_examples=30, deadline=None, phases=[Phase.generate])
@given(STREAMS, st.integers(0, 9), st.sampled_from([1, 4, 30]), st.booleans())
def test_random_programs(stream, iterations, items, printing):
    # Where several filters print, and items go round, the graph has an order of its own.
    stream = printing_too(stream) if printing and "feedbackloop" not in stream else stream
    program = f"{COUNTER}{PRINTER}void->void pipeline Main {{ add Count; {stream} add Print; }}"
    try:
        expected = rows(program, iterations)
    except AnabranchError as error:
        # Split-joins of random filters seldom have rates that fit together.
        assume("do not fit together" not in str(error))
        raise
    assume(len(expected) < 5_000)
    with small_machines(items):
        assert blocks(program, iterations, compiles=True) == expected
        assert blocks(program, iterations, workers=3, compiles=True) == expected


def test_what_was_given_before_is_left_out():
    """A machine without state, which fires before the first period, in front of one with state."""
    program = f"""{COUNTER}{PRINTER}
        int->int filter Differences {{ work pop 1 push 2 peek 3 {{ push(peek(2) - peek(0));
            push(pop()); }} }}
        int->int filter Sums {{ int s; work pop 3 push 1 peek 8 {{ s += peek(7); push(s);
            for (int i = 0; i < 3; i++) pop(); }} }}
        void->void pipeline Main {{ add Count; add Differences; add Differences; add Sums;
            add Print; }}"""
    with small_machines(5):
        assert blocks(program, 40, workers=2, compiles=True) == rows(program, 40)


EVERYTHING = """
    static { float[2][2] rotation = {{0.6, -0.8}, {0.8, 0.6}}; }
    complex->complex filter Turn(complex by) { complex last; work pop 1 push 1 {
        complex z = pop() * by / (1 + 0.5i); z.imag = z.imag - last.real; last = z;
        push(-z + exp(0.25i) - last); } }
    complex->float filter Parts { work pop 1 push 2 peek 2 { complex z = peek(1); push(pop().real);
        push(abs(z) + (z == peek(0) ? 1 : 0)); } }
    float->float filter Delay(int n) {
        prework push n { for (int i = 0; i < n; i++) push(i * rotation[1][0]); }
        work pop 1 push 1 { push(pop()); } }
    float->float feedbackloop Echo(int delay) { join roundrobin;
        body float->float filter { work pop 2 push 1 { push(pop() + 0.25 * pop()); } };
        loop Delay(1); split duplicate; for (int i = 0; i < delay; i++) enqueue(i * 0.5); }
    float->float filter Show(boolean all) { int k; work pop 2 push 1 { k++; float x = pop();
        boolean big = x > 1; if (all || k % 3 == 0) { print("100%"); print('c'); println(big); }
        println("k = " + k + ", x = " + x); println(); push(x + random() + pop()); } }
    void->void pipeline Main {
        add void->complex filter { float p; work push 1 { p = p * 1.3 + 0.1; if (p > 5) p = p - 9;
            push(p + (p * p) * 1i); } };
        add Turn(0.5 + 0.5i); add Parts; add Delay(3); add Echo(4); add Show(false);
        add splitjoin { split roundrobin(0, 2); add void->float filter { work push 1 { push(7); } };
            add Show(true); join roundrobin(1, 1); };
        add float->void filter { work pop 1 { complex z = pop() + 2i; println(z); } }; }
"""


def test_everything_interpreted():
    with small_machines(7):
        assert blocks(EVERYTHING, 60, compiles=True) == rows(EVERYTHING, 60)
        assert blocks(EVERYTHING, 60, workers=3, compiles=True) == rows(EVERYTHING, 60)


@pytest.mark.slow
def test_everything_compiled():
    assert blocks(EVERYTHING, 300, compiles=True) == rows(EVERYTHING, 300)


def test_a_failure_names_the_filter():
    program = (f"{COUNTER}{PRINTER}int->int filter Inverse {{ work pop 1 push 1 {{"
               " push(60 / (pop() - 20)); } }"
               "void->void pipeline Main { add Count; add Inverse; add Print; }")
    with small_machines(4), pytest.raises(RunError, match="divided by zero") as caught:
        blocks(program, 30, compiles=True)
    assert caught.value.where.line == 3


def test_lines_around_half_a_round():
    """What waits in a joiner for the rest of its round is printed behind it when that is there."""
    text = COUNTER + PRINTER + """
        int->int filter Late(int n) { prework push n { for (int i = 0; i < n; i++) push(-i); }
            work pop 1 push 1 { println(1000 + peek(0)); push(pop()); } }
        int->int filter Ahead { work pop 2 push 2 peek 4 { println(2000 + peek(3)); push(pop());
            push(pop()); } }
        void->void pipeline Main { add Count; add splitjoin { split duplicate; add Ahead;
            add Late(3); join roundrobin(2); }; add Print; }"""
    expected = rows(text, 6)
    for workers in (1, 3):
        assert blocks(text, 6, workers) == blocks(text, 6, workers, compiles=True) == expected
