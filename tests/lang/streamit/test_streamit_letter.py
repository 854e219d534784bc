"""The letter of the language: small programs for every construct, each by what it prints."""

from __future__ import annotations

import pytest

from lang.streamit.streamit_support import COUNTER, FLOATS, PRINTER, blocks, printing, rows

STATEMENTS = {
    "println(2+3*4-1); println((2+3)*4); println(7-2-1); println(100/10/5);": "13 20 4 2",
    "println(1|2&2); println(1^3&1); println(4>>1+1); println(1+1<<2);": "2 0 3 5",
    "println(1 < 2 && 2 < 3 || false); println(!(1 > 2)); println(true ? 1 : 2);": "true true 1",
    "int a = 5; println(a > 3 ? a > 4 ? 1 : 2 : 3);": "1",
    "println(-5 + 3); println(- 5 * 2); int a = 3; println(-a); println(5 - -3);": "-2 -10 -3 8",
    "boolean b = false; println(!b); int x = 3; println(~x); println(~0x0F & 0xFF);":
        "true -4 240",
    "println((int)3.9 + (int)-3.9); println((float)1/3); println((bit)3); println((boolean)1);":
        "0 0.333333 1 true",
    "println((float)3/2); println((int)2.7*2); println((int)-2.5); println((int)(2.5*2));":
        "1.500000 4 -2 5",
    "int x=10; x+=5; x-=3; x*=2; x/=4; println(x); x<<=2; x>>=1; println(x);": "6 12",
    "bit b=1; bit c=0; println(b & c); println(b | c); println(b ^ b); println(b ^ c);": "0 1 0 1",
    "int x = 2147483647; x++; println(x); x--; println(x); println(46341*46341);":
        "-2147483648 2147483647 -2147479015",
    "float f = 0.1; println(f * 3); println(16777217.0); println(1e10);":
        "0.300000 16777216.000000 10000000000.000000",
    "println(1.f); println(.5); println(5.); println(1e-3); println(2.5e2f);":
        "1.000000 0.500000 5.000000 0.001000 250.000000",
    "int i=0; do { i++; if (i==2) continue; println(i); } while (i < 4);": "1 3 4",
    "int i=0; while (true) { if (i > 2) break; println(i++); }": "0 1 2",
    "int i=0; for (;;) { if (i>1) break; i++; } println(i); for (i=5; i>0; i-=2) println(i);":
        "2 5 3 1",
    "for (int j=0, k=3; j<k; j++) println(k-j);": "3 2 1",
    "for (float f = 0; f < 1; f += 0.25) println(f);": "0.000000 0.250000 0.500000 0.750000",
    "int[2][3] a; for (int i=0;i<2;i++) for (int j=0;j<3;j++) a[i][j]=i*3+j; int[3] r = a[1];"
    " println(a[1][2]); r[0] = 9; println(a[1][0]);": "5 3",
    "int[3] a = {1,2,3}; int[2][2] b = {{1,2},{3,4}}; println(a[2]+b[1][0]);": "6",
    "int n = 4; int[n*2] a; a[7] = 9; println(a[7] + a[0]);": "9",
    "int[2] a = {1,2}; int[2] b; b = a; b[0] = 5; println(a[0]);": "1",
    "println(\"a\" + 1 + 2.5 + true); print(\"x\"); print('y'); print(3); println();":
        "a12.500000true xy3",
    "int c = 'b'; println(c); println('b');": "98 b",
    "int a = 1, b = 2, c; c = a + b; println(c);": "3",
    "println(pi); println(2*pi); println(0xff); println(0x80000000); println(0XAB);":
        "3.141593 6.283185 255 -2147483648 171",
    ";; { } int a=1; if (a==1) if (a==2) println(0); else println(5);": "5",
    "int i = 1; println(i++ * 10 + i++); println(i-- - --i);": "12 2",
    "int a = 1; { int a = 2; println(a); } println(a);": "2 1",
    "int[2] a; a[1]++; ++a[1]; a[0] += a[1]--; println(a[0]); println(a[1]);": "2 1",
    "println(-7 % 3); println(7 % -3); println(7.5 % 2);": "-1 1 1.500000",
    "float f = 7 / 2; println(f); f = 7 / 2.0; println(f); double d = 0.1; println(d);":
        "3.000000 3.500000 0.100000",
    "int x = 0; if (x != 0 && 5/x > 1) println(1); else println(2); println(x == 0 || 1/x > 0);":
        "2 true",
    "println(1.0 == 1); println(0.1 < 0.2); println(1 != 2); println(true == false);":
        "true true true false",
    "println(1 << 31); println(-1 >> 31); println(-16 >> 2);": "-2147483648 -1 -4",
    "println(tan(0)); println(cos(0)); println(asin(1)); println(acos(1)); println(atan(1));":
        "0.000000 1.000000 1.570796 0.000000 0.785398",
    "println(atan2(1,1)); println(exp(1)); println(log(10)); println(log10(100));":
        "0.785398 2.718282 2.302585 2.000000",
    "println(floor(2.7)); println(ceil(2.1)); println(round(-2.5)); println(sqrt(16));":
        "2.000000 3.000000 -3.000000 4.000000",
    "complex z = 1 + 2i; complex w = z * (3 - 1i); println(w.imag); println(abs(w));":
        "5.000000 7.071068",
    "int iter = 4; iter += 1; println(iter * 10 + iter());": "50",
    "/* one */ println(1); // two\n println(2); /* three\n four */": "1 2",
}
IN_FILTERS = {
    ("println(sq(3) + sq(sq(2)));", "int sq(int x) { return x*x; }", ""): "25",
    ("println(fib(10));", "int fib(int n) { if (n < 2) return n; return fib(n-1)+fib(n-2); }", ""):
        "55",
    ("bump(); bump(); println(k);", "int k; void bump() { k++; }", ""): "2",
    ("int[2] a = {1,2}; set(a); println(a[0]);", "void set(int[2] a) { a[0] = 9; }", ""): "9",
    ("P p; p.x = 1; set(p); println(p.x);", "void set(P p) { p.x = 9; }", "struct P { int x; }"):
        "1",
    ("P q; q.x = 1; q.y[1] = 2.5; P r = q; r.x = 9; println(q.x); println(r.y[1]);", "",
     "struct P { int x; float[2] y; };"): "1 2.500000",
    ("P p; p.x = 1; p.x++; ++p.x; p.x *= 2; println(p.x);", "", "struct P { int x; }"): "6",
    ("println(N * 2 + T[1]);", "", "static { int N = 7; int[2] T = {4,5}; }"): "19",
    ("println(S);", "", "static { int S; init { for (int i=0;i<5;i++) S += i; } }"): "10",
    ("println(a + b[1] + c);", "int a = 3; int[2] b = {4, 5}; int c = a + 1;", ""): "12",
    ("println(t[3]);", "int[5] t; init { for (int i = 0; i < 5; i++) t[i] = i*i; }", ""): "9",
    ("println(half(3));", "float half(int x) { return x / 2.0; }", ""): "1.500000",
    ("int pushed = 1; int loops = 2; int adder = 3; int split_n = 4; int to_x = 5;"
     " println(pushed + loops + adder + split_n + to_x);", "", ""): "15",
}
INC = "int->int filter Inc(int k) { work pop 1 push 1 { push(pop() + k); } }"
FIR = ("void->float filter Ramp { float x; work push 1 { push(x++); } }"
       "float->float filter FIR(int N, float[N] h) { work pop 1 push 1 peek N { float s = 0;"
       " for (int i = 0; i < N; i++) s += peek(i) * h[i]; pop(); push(s); } }")
STREAMS = [
    (FIR, "float[3] h = {1,2,3}; add Ramp; add FIR(3,h); add PrintFloat;", 2, "8.000000 14.000000"),
    ("", "add Count; add int->int filter { work pop 2 push 1 { push(pop()-pop()); } }; add Print;",
     2, "-1 -1"),
    ("", "add Count; add int->int filter { work pop 2 push 1 { push(pop()*10+peek(0)*100+pop());"
     " } }; add Print;", 2, "101 323"),
    ("", "add Count; add splitjoin { split duplicate(); add Identity<int>(); add Identity<int>;"
     " join roundrobin(); }; add Print;", 2, "0 0 1 1"),
    ("", "add Count; add splitjoin { split roundrobin(2); add Identity<int>; add Identity<int>;"
     " join roundrobin(1); }; add Print;", 1, "0 2 1 3"),
    ("", "int n=2; add Count; add splitjoin { split roundrobin(n, n*2); add Identity<int>;"
     " add Identity<int>; join roundrobin(n, n*2); }; add Print;", 1, "0 1 2 3 4 5"),
    (INC, "add Count; for (int i=0;i<3;i++) { add Inc(i); } add Print;", 2, "3 4"),
    (INC, "add Count; if (1 > 2) add Inc(1); else { add Inc(10); add Inc(20); } add Print;", 2,
     "30 31"),
    (INC, "add Count; add int->int splitjoin { split roundrobin(1); for (int i=0;i<3;i++)"
     " add Inc(i*10); join roundrobin(1); }; add Print;", 1, "0 11 22"),
    ("", "add Count; add int->int filter { work pop 1 push 1 { push(pop()); } } add Print;", 2,
     "0 1"),
    ("", "add Count; add int->int feedbackloop { join roundrobin(1,1); body int->int filter {"
     " work pop 2 push 2 { push(pop()); push(pop()); } }; loop Identity<int>;"
     " split roundrobin(1,1); for (int i=0;i<2;i++) enqueue i*5; }; add Print;", 2, "0 1"),
    ("", "add void->bit filter { bit b; work push 1 { push(b); b = ~b; } };"
     " add bit->void filter { work pop 1 { println(pop()); } };", 3, "0 1 0"),
    ("", "add void->boolean filter { int b; work push 1 { push(b % 2 == 0); b++; } };"
     " add boolean->void filter { work pop 1 { println(pop()); } };", 2, "true false"),
    ("", "add void->complex filter { float b; work push 1 { complex c; c.real = b++; push(c); } };"
     " add complex->void filter { work pop 1 { println(pop()); } };", 2,
     "0.000000+0.000000i 1.000000+0.000000i"),
    ("", "add void->int[2][2] filter { int b; work push 1 { int[2][2] c; c[1][1] = b++; push(c); }"
     " }; add int[2][2]->void filter { work pop 1 { int[2][2] c = pop(); println(c[1][1]); } };",
     2, "0 1"),
    ("struct S { int a; float b; }", "add void->S filter { int k; work push 1 { S s; s.a = k++;"
     " push(s); } }; add S->void filter { work pop 1 peek 2 { println(peek(1).a); pop(); } };", 2,
     "1 2"),
    ("", "add Count; add int->int filter { prework pop 1 push 2 peek 3 { push(peek(2));"
     " push(pop()); } work pop 2 push 1 peek 3 { push(peek(2)); pop(); pop(); } }; add Print;",
     4, "2 0 3 5"),
    ("", "add Count; add int->int stateful filter { int s; work pop 1 push 1 { s += pop(); push(s);"
     " } }; add Print;", 3, "0 1 3"),
    ("int->int filter F(int k) { work pop 1 push 1 { push(pop()+k); k++; } }",
     "add Count; add F(3); add Print;", 3, "3 5 7"),
    ("int->int filter F(int k) { work pop k*2 push k+1 peek 2*k+1 { for (int i=0;i<k+1;i++)"
     " push(peek(i)); for (int i=0;i<2*k;i++) pop(); } }", "add Count; add F(2); add Print;", 1,
     "0 1 2"),
    ("static { int R = 3; } int->int filter F { work pop R push 1 { push(peek(R-1));"
     " for (int i=0;i<R;i++) pop(); } }", "add Count; add F; add Print;", 2, "2 5"),
    ("", "add Count; add int->int filter { work peek 3 push 1 pop 1 { push(peek(2)); pop(); } };"
     " add Print;", 2, "2 3"),
    ("int->int splitjoin Halves(int n) { split roundrobin(n/2); add Sum(n/2); add Sum(n/2);"
     " join roundrobin(1); } int->int filter Add { work pop 2 push 1 { push(pop()+pop()); } }"
     " int->int pipeline Sum(int n) { if (n == 1) add Identity<int>; else { add Halves(n);"
     " add Add; } }", "add Count; add Sum(4); add Print;", 2, "6 22"),
    ("", "int[2] t = {5,6}; int b = t[0] * 2; add Count; add int->int filter { work pop 1 push 1 {"
     " push(t[pop()%2] + b); } }; add Print;", 2, "15 16"),
    ("", "add Count; add splitjoin { split roundrobin(1,0); add Identity<int>; add void->int filter"
     " { work push 1 { push(7); } }; join roundrobin; }; add Print;", 2, "0 7 1 7"),
    ("", "add Count; add int->int splitjoin { split duplicate; add Identity<int>; add int->void"
     " filter { work pop 1 { pop(); } }; join roundrobin(1,0); }; add Print;", 2, "0 1"),
    ("", "add Count; add int->int filter { void out(int x) { push(x); push(-x); }"
     " work pop 1 push 2 { out(pop()); } }; add Print;", 2, "0 0 1 -1"),
    ("", "add Count; add int->int filter { int g; prework { g = 5; } work pop 1 push 1 {"
     " push(pop()+g); } }; add Print;", 2, "5 6"),
    ("", "add Count; add int->int filter { work pop 1 push 1 { int x = pop(); push(x);"
     " if (x > 0) return; } }; add Print;", 2, "0 1"),
]
UNTYPED = [
    ("add Count; add filter { work pop 1 push 1 { push(pop()*2); } }; add Print;", "0 2"),
    ("add Count; add filter { work pop 1 push 1 { push(pop()*2); } }; add PrintFloat;",
     "0.000000 2.000000"),
    ("add Count; add filter { work pop 1 push 1 { push(pop()*0.5); } };"
     " add filter { work pop 1 { println(pop()); } };", "0.000000 0.500000"),
    ("add Count; add filter { work pop 1 push 1 { push(pop() > 0); } };"
     " add filter { work pop 1 { println(pop()); } };", "false true"),
    ("add filter { int x; work push 1 { push(x++); } }; add Identity;"
     " add filter { work pop 1 { println(pop()); } };", "0 1"),
    ("add Count; add splitjoin { split duplicate; add filter { work pop 1 push 1 { push(1); pop();"
     " } }; add int->float filter { work pop 1 push 1 { push(pop()/2.0); } }; join roundrobin; };"
     " add PrintFloat;", "1.000000 0.000000 1.000000 0.500000"),
    ("add Count; add feedbackloop { join roundrobin; body filter { work pop 2 push 1 {"
     " push(pop()+pop()); } }; loop filter { work pop 1 push 1 { push(pop()); } };"
     " split duplicate; enqueue 0; }; add Print;", "0 1"),
    ("add feedbackloop { join roundrobin(0, 1); loop Identity<int>; body filter { work pop 1 push 1"
     " { push(pop() + 1); } }; split duplicate; enqueue 0; }; add Print;", "1 2"),
    ("add pipeline { add pipeline { add Count; add filter { work pop 1 push 1 { push(pop()); } }; }"
     " add Identity; }; add Print;", "0 1"),
]


def program(before: str, main: str) -> str:
    return f"{COUNTER}{PRINTER}{FLOATS}{before}\nvoid->void pipeline Main {{ {main} }}"


@pytest.mark.parametrize("statements", STATEMENTS)
def test_statements(statements):
    assert rows(printing(statements), 1).split() == STATEMENTS[statements].split()


@pytest.mark.parametrize("parts", IN_FILTERS)
def test_in_filters(parts):
    assert rows(printing(*parts), 1).split() == IN_FILTERS[parts].split()


@pytest.mark.parametrize("before, main, iterations, expected", STREAMS)
def test_streams(before, main, iterations, expected):
    text = program(before, main)
    assert rows(text, iterations).split() == expected.split()
    assert blocks(text, iterations) == rows(text, iterations)


@pytest.mark.parametrize("main, expected", UNTYPED)
def test_types_of_neighbours(main, expected):
    text = program("", main)
    assert rows(text, 2).split() == expected.split()
    assert blocks(text, 2) == rows(text, 2)


def test_the_program_is_a_stream_that_no_other_adds():
    text = """
void->void splitjoin Main { split duplicate; add One(); add Two(); join roundrobin(0); }
void->void filter One { work { println(1); } }
void->void filter Two { work { println(2); } }
"""
    assert rows(text, 2) == "1\n2\n1\n2\n"


def test_phases_are_functions_on_the_tapes():
    text = """
int->int filter Twice { int v; work pop 1 push 2 { v = pop(); both(); }
    phase both push 2 { push(v); push(v); } }
void->void pipeline Main { add Count(); add Twice(); add Print(); }
"""
    assert rows(COUNTER + PRINTER + text, 2) == "0\n0\n1\n1\n"
