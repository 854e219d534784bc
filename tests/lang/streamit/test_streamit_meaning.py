"""What the language means: statements, types, streams, each by what it prints."""

from __future__ import annotations

import pytest

from lang.streamit.streamit_support import (
    COUNTER,
    FLOATS,
    PRINTER,
    blocks,
    by_schedule,
    printing,
    rows,
)

STATEMENTS = {
    "println(2147483647 + 1);": "-2147483648",
    "println(65536 * 65536 + 7);": "7",
    "println(-7 / 2); println(-7 % 3); println(7 / -2);": "-3 -1 -3",
    "println(1 << 33); println(-8 >> 1); println(0xFFFFFFFF);": "2 -4 -1",
    "println(1 + 2 << 1); println(17 | 1 & 3); println(5 & 4 == 4);": "5 1 1",
    "println(0.1 + 0.2); println(16777216.0 + 1.0);": "0.300000 16777216.000000",
    "println(1.0 / 3); println(1 / 3); println(1.0 / 0.0);": "0.333333 0 inf",
    "println((int) -3.7); println((float) 7 / 2); println((int) 3000000000.0);":
        "-3 3.500000 2147483647",
    "println(sqrt(2)); println(pow(2, 10)); println(log(0)); println(floor(-1.5));":
        "1.414214 1024.000000 -inf -2.000000",
    "println(round(2.5)); println(abs(-3)); println(max(1, 2.5)); println(min(2, 1));":
        "3.000000 3.000000 2.500000 1.000000",
    "println(true); println(!true || 2 > 1); println(3 > 2 ? 10 : 20.5);": "true true 10.000000",
    "int i = 5; println(i++ + i); println(--i); println(i-- - i);": "11 5 1",
    "int[3] a = {1, 2, 3}; int[3] b = a; b[0] = 9; println(a[0]); println(b[0]);": "1 9",
    "float[2][2] m = {{1, 2}, {3, 4}}; float[2] r = m[1]; r[0] = 7; println(m[1][0]);": "3.000000",
    "int i = 0; int[3] a = {0, 0, 0}; a[i++] = i; println(a[0]); println(i);": "1 1",
    "int n = 3; int[2] a = {n, n * n}; println(a[1]);": "9",
    "int s = 0; for (int i = 0; i < 9; i++) { if (i == 2) continue; if (i == 5) break; s += i; }"
    " println(s);": "8",
    "int i; for (i = 0; i < 4; i++) ; println(i);": "4",
    "int i = 0; do { i += 2; } while (i < 5); while (i > 0) i--; println(i);": "0",
    "bit b = 1; b = b ^ 1; println(b); println(~b);": "0 1",
    "complex z = 1 + 2i; z = z * z; println(z.real); println(abs(z)); z.imag = 0; println(z);":
        "-3.000000 5.000000 -3.000000+0.000000i",
    'print("a"); print(1); println("b" + 2 + 0.5);': "a1b20.500000",
    "int x = 7; x /= 2; x <<= 3; x *= 0.5; println(x);": "12",
    "println(08 + 010); println(1e3); println('A'); println('A' + 1); println(\"x\" + 'b');":
        "18 1000.000000 A 66 xb",
    "int x = abs(-3); int y = max(x, 2); int[4] a; a[abs(-2)] = 7; println(x * y + a[2]);": "16",
    "println(abs(-7) / 2); println((int) min(7, 9) / 2);": "3.500000 3",
    "println(signum(-2.5)); println(toDegrees(pi)); println(log1p(0)); println(expm1(0));":
        "-1.000000 180.000000 0.000000 0.000000",
    "println(random()); println(random());": "0.684482 0.495325",
}


@pytest.mark.parametrize("statements", STATEMENTS)
def test_statements(statements):
    expected = STATEMENTS[statements].replace(" ", "\n") + "\n"
    assert rows(printing(statements), 1) == expected


STREAMS = {
    "streams chosen without blocks": (COUNTER + PRINTER + """
        void->void pipeline Main { add Count; for (int i = 0; i < 2; i++)
            if (i == 0) add int->int filter { work pop 1 push 1 { push(pop() + 1); } };
            else add pipeline { add Identity<int>; add Identity<int>; };
            add Print; }""", 2, "1 2"),
    "structures in any order": ("""
        struct Outer { Inner i; Inner[2] more; } struct Inner { int x; }
        void->void filter Main { work { Outer o; o.i.x = 3; o.more[1].x = 4;
            println(o.i.x + o.more[1].x); } }""", 1, "7"),
    "arrays that functions change": ("""
        helper Sorting { void swap(int[3] a, int i, int j) { int t = a[i]; a[i] = a[j]; a[j] = t; }
                         void turn(int[3] a) { swap(a, 0, 2); } }
        static { int[3] fixed = {1, 2, 3}; }
        void->void filter Main { int[3] kept = {4, 5, 6};
            work { int[3] own = kept; Sorting.turn(own); println(own[0]); println(kept[0]);
                   Sorting.turn(kept); println(kept[0]); Sorting.turn(fixed);
                   println(fixed[0]); } }""", 2, "6 4 6 1 4 6 4 1"),
    "helper functions where streams are added": (PRINTER + """
        static { int N = Maths.halvings(64); }
        helper Maths { int halvings(int n) { int k = 0; while (n > 1) { n /= 2; k++; } return k; }
                       int more(int n) { return halvings(n) + N; } }
        void->void pipeline Main { add Constant(Maths.more(8)); add Print; }
        void->int filter Constant(int c) { work push 1 { push(c); } }""", 1, "9"),
    "structures in static blocks": (PRINTER + """
        struct Point { int[N] at; Inner inner; } struct Inner { float x; }
        static { int N = 3; Point p; Point[2] more; int sum; init {
            for (int i = 0; i < N; i++) p.at[i] = i + 1; more[1].inner.x = 0.5; } }
        void->void filter Main { Point own; work { own.at[2] = 4; println(p.at[2] + own.at[2]);
            println(more[1].inner.x + more[0].at[2]); } }""", 1, "7 0.500000"),
    "streams nested three hundred times": (COUNTER + PRINTER + """
        int->int pipeline Deep(int n) { add Identity<int>; if (n > 0) add Deep(n - 1); }
        void->void pipeline Main { add Count; add Deep(300); """
        + 300 * "add pipeline { " + "add Identity<int>;" + 300 * " };" + " add Print; }", 2, "0 1"),
    "native functions that nothing calls": ("native C { int f(int x); }" + COUNTER + PRINTER
        + "void->void pipeline Main { add Count; add Print; }", 2, "0 1"),
    "fields, functions, structures": ("""
        struct Pair { int a; float[2] b; }
        static { int N = 3; int[3] table = {5, -6, 7}; int sum; init { for (int i = 0; i < N; i++)
            sum += table[i]; } }
        helper Maths { int twice(int x) { return 2 * x; }
                       int factorial(int n) { if (n < 2) return 1;
                                              return n * Maths.factorial(n - 1); } }
        void->Pair filter Make { int k; work push 1 { Pair p; p.a = next(2); p.b[1] = p.a / 4.0;
            push(p); } int next(int by) { k += by; return k; } }
        Pair->void filter Show { work pop 1 peek 2 { Pair later = peek(1); later.a = 100;
            Pair p = pop(); println(p.a + Maths.twice(sum)); println(p.b[1]);
            println(Maths.factorial(p.a)); } }
        void->void pipeline Main { add Make; add Show; }""", 2,
        "14 0.500000 2 16 1.000000 24"),
    "functions that use the tapes": (COUNTER + PRINTER + """
        int->int filter Sums { int total;
            void take(int n) { for (int i = 0; i < n; i++) total += pop(); if (total > 1000)
                               return; give(); }
            void give() push 1 { push(total); }
            work pop 3 push 1 { take(3); } }
        void->void pipeline Main { add Count; add Sums; add Print; }""", 3, "3 15 36"),
    "recursion, conditions, captured names": (COUNTER + PRINTER + """
        int->int pipeline Add(int n) { if (n > 0) { add int->int filter { work pop 1 push 1 {
            push(pop() + n); } }; add Add(n - 1); } }
        void->void pipeline Main { add Count; add Add(4); add Print; }""", 2, "10 11"),
    "weights": (COUNTER + PRINTER + """
        void->void pipeline Main { add Count; add splitjoin { split roundrobin(1, 2);
            add Identity<int>; add int->int filter { work pop 1 push 2 { push(-peek(0));
            push(pop()); } }; join roundrobin(1, 4); }; add Print; }""", 2,
        "0 -1 1 -2 2 3 -4 4 -5 5"),
    "streams that end inside": (COUNTER + PRINTER + """
        void->void pipeline Main { add Count; add int->void splitjoin { split duplicate;
            for (int i = 0; i < 2; i++) add splitjoin { split roundrobin; add Print; add Print;
            join roundrobin(0); }; join roundrobin(0); }; }""", 1, "0 1 0 1"),
    "sources in a split-join": (COUNTER + PRINTER + """
        void->void pipeline Main { add void->int splitjoin { split roundrobin(0); add Count;
            add Count; join roundrobin(1, 2); }; add Print; }""", 2, "0 0 1 1 2 3"),
    "first firings": (COUNTER + PRINTER + """
        int->int filter Delay(int n) { prework push n { for (int i = 0; i < n; i++) push(-1); }
            work pop 1 push 1 { push(pop()); } }
        void->void pipeline Main { add Count; add Delay(2); add Print; }""", 4, "-1 -1 0 1"),
    "a loop of its own": (PRINTER + """
        void->void pipeline Main { add feedbackloop { join roundrobin(0, 1); body int->int filter {
            work push 1 pop 1 peek 2 { push(peek(1) + pop()); } }; loop Identity<int>;
            split duplicate; enqueue 0; enqueue 1; }; add Print; }""", 6, "1 2 3 5 8 13"),
    "a loop with a delay": (FLOATS + """
        void->float filter Click { float x = 1; work push 1 { push(x); x = 0; } }
        void->void pipeline Main { add Click; add float->float feedbackloop {
            join roundrobin; body float->float filter { work pop 2 push 1 {
            push(pop() + 0.5 * pop()); } }; loop Identity<float>; split duplicate;
            for (int i = 0; i < 2; i++) enqueue(0); }; add PrintFloat; }""", 5,
        "1.000000 0.000000 0.500000 0.000000 0.250000"),
    "tapes of arrays": ("""
        void->int[2] filter Make { int k; work push 1 { int[2] a; a[0] = k++; a[1] = 10; push(a);
            a[0] = 99; } }
        void->void pipeline Main { add Make; add int[2]->void filter { work pop 1 { int[2] a;
            a = pop(); println(a[0] + a[1]); } }; }""", 3, "10 11 12"),
    "the count of firings": (COUNTER + """
        void->void pipeline Main { add Count; add int->void filter { work pop 1 {
            println(10 * iter() + pop()); } }; }""", 3, "0 11 22"),
    "what init prints": (COUNTER + """
        void->void pipeline Main { add Count; add int->void filter { init { println(7); }
            work pop 1 { println(pop()); } }; }""", 2, "7 0 1"),
    "no more than the schedule says": ("""
        void->int filter Tens { int x; work push 10 { for (int i = 0; i < 10; i++) push(x++); } }
        void->void pipeline Main { add Tens; add int->int filter { work pop 1 push 1 peek 4 {
            push(peek(3)); pop(); } }; add int->void filter { work pop 5 { println(pop());
            for (int i = 0; i < 4; i++) pop(); } }; }""", 1, "3 8"),
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("way", [rows, blocks, lambda t, n: blocks(t, n, workers=3),
                                 lambda t, n: by_schedule(t, n, seed=n)],
                         ids=["rows", "blocks", "workers", "schedules"])
def test_streams(name, way):
    text, iterations, expected = STREAMS[name]
    if name == "streams that end inside" and way.__name__ == "<lambda>":
        # Where several filters print, their order is that of the sequential schedule alone.
        assert sorted(way(text, iterations)) == sorted(rows(text, iterations))
        return
    assert way(text, iterations).split() == expected.split()


def test_several_printers_in_order():
    text = COUNTER + """
        void->void pipeline Main { add Count; add int->int filter { work pop 1 push 1 peek 3 {
            println(peek(2)); push(pop()); } }; add int->void filter { work pop 2 {
            println(-pop() - pop()); } }; }"""
    assert rows(text, 5).replace("\n", " ") == "2 3 -1 4 5 -5 6 7 -9 8 9 -13 10 11 -17 "
    assert blocks(text, 5) == blocks(text, 5, workers=4) == rows(text, 5)
