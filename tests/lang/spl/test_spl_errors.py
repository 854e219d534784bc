"""A wrong program ends in one clear message, which underlines what is wrong."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span
from lang.spl.spl_support import EXAMPLES, HERE, compiled, damaged, logic, told

STATEMENTS = """\
println(j);
int32 x = "a";
int64 y = i;
int32 x = 1; x = 2;
println(i + 1.5);
println("a" + i);
println(lengthh("a"));
println(length(i));
println(i[0]);
println(In.j);
println([1, 2][5]);
println([]);
mutable map<rstring, int32> m = {}; println(m["x"]);
println(5 / (int32) i);
uint8 a = 300;
println({a = 1, a = 2});
submit({a = 1}, Out);
if (i) println(i);
for (int32 c in "abc") println(c);
return 5;
Foo x = 1;
println((timestamp) "x");
int32 x = 1; int32 x = 2;
println((int32) "12a");
println(i == "a");
println(1 2);
int32 x = 1
println("open);
/* open
assert(i > 5ul, "too small"); println(i);
println(regexMatch("a", 5));
"""
GRAPHS = {
    "a stream that is not there": ("() as X = FileSink(Inn) { param file: \"x\"; }", ""),
    "an operator that is not there": ("stream<In> A = Functr(In) {}", ""),
    "a parameter that is not there": ("stream<In> A = Filter(In) { param filtr: true; }", ""),
    "a parameter that is missing": ("() as X = FileSink(In) { param format: csv; }", ""),
    "no value for an attribute": ("stream<uint64 i, int32 b> A = Functor(In) {}", ""),
    "an attribute that is not there": (
        "stream<In> A = Functor(In) { output A: b = 1; }", ""),
    "a window by the clock": (
        "stream<int32 n> A = Aggregate(In) { window In: tumbling, time(5); "
        "output A: n = Count(); }", ""),
    "no window": ("stream<int32 n> A = Aggregate(In) { output A: n = Count(); }", ""),
    "a mean of strings": ("stream<rstring n> A = Aggregate(In) { window In: tumbling, count(2); "
                          "output A: n = Average(\"x\"); }", ""),
    "two inputs to a filter": ("stream<In> A = Filter(In; In) {}", ""),
    "an annotation": ("@catch(exception=streams) stream<In> A = Filter(In) {}", ""),
    "no width": ("@parallel() stream<In> A = Filter(In) {}", ""),
    "a placement": ("stream<In> A = Filter(In) { config placement: hostColocation(a); }", ""),
    "a stream of itself": ("stream<B id> A = Filter(In) {} stream<A> B = Filter(In) {}", ""),
    "together and apart": (
        "stream<In> A = Filter(In) { config placement: partitionColocation(\"a\"), "
        "partitionIsolation; } stream<In> B = Filter(A) { config placement: "
        "partitionColocation(\"a\"), partitionIsolation; }", ""),
    "a configuration": ("stream<In> A = Filter(In) { config placment: hostIsolation; }", ""),
    "a partition of a port that is not there": (
        "stream<In> A = Pair(In; In) { param partitionBy2: i; }", ""),
    "a port without a partition": (
        "stream<In> A = Pair(In; In) { param partitionByRHS: i; }", ""),
    "partitions of other types": ("stream<In> A = Pair(In; In) { "
                                  "param partitionByLHS: i; partitionByRHS: (rstring) i; }", ""),
    "a value that may be null": ("stream<int32 a> A = Functor(B) { output A: a = b; } "
                                 "stream<optional<int32> b> B = Functor(In) { output B: b = 1; }",
                                 ""),
    "null where a value is": ("stream<int32 a> A = Functor(In) { output A: a = null; }", ""),
    "bytes on standard output": (
        "() as X = FileSink(In) { param file: \"/dev/stdout\"; format: bin; }", ""),
    "bytes of decimals": ("() as X = FileSink(A) { param file: \"x\"; format: bin; } "
                          "stream<decimal32 d> A = Functor(In) { output A: d = 1.0d; }", ""),
    "a Split by nothing": ("(stream<In> A; stream<In> B) = Split(In) { param key: i; }", ""),
    "a socket without a port": ("stream<In> A = TCPSource() { param role: server; }", ""),
    "an operator of Java": ("stream<In> A = JavaOp(In) { param className: \"A\"; }", ""),
    "a parameter that is refused": (
        "stream<In> A = FileSource() { param file: \"x\"; hotFile: true; }", ""),
    "nothing to import": ("stream<In> A = Import() { param streamId: \"x\"; }", ""),
    "state that an operator cannot see": (
        "stream<In> A = Split(In) { logic state: mutable int32 n = 1; onTuple In: n++; "
        "param index: n; }", ""),
    "a change where nothing can be": (
        "stream<In> A = Custom(In) { logic state: mutable int32 n = 1; onTuple In: submit(In, A); }"
        " stream<int32 k> B = Functor(In) { output B: k = m++; }", ""),
    "an outer join with two ports": (
        "(stream<In> A; stream<In> B) = Join(In; In as R) { window In: sliding, count(1); "
        "R: sliding, count(1); }", ""),
    "a toolkit": ("stream<In> A = Filter(In) {}", "use my.toolkit::*;"),
    "a type of itself": ("stream<T> A = Custom(In) {}", "type T = tuple<T a>;"),
    "a composite of itself": ("stream<In> A = C(In) {}", "composite C(input X; output Y) { graph "
                              "stream<X> Y = C(X) {} }"),
    "an output that nothing writes": ("stream<In> A = C(In) {}",
                                      "composite C(input X; output Y) { }"),
    "a parameter of a composite": ("stream<In> A = C(In) { param b: 1; }", "composite C(input X; "
                                   "output Y) { param expression<int32> $a; graph stream<X> Y = "
                                   "Filter(X) {} }"),
    "streams of two types": (
        "stream<int32 k> A = Custom(In) {}\n    stream<In> B = Filter(In, A) {}", ""),
}


@pytest.mark.filterwarnings("ignore")
def test_wrong_statements_are_told(golden):
    golden("lang/spl_statements.txt",
           "\n\n".join(told(logic(line)) for line in STATEMENTS.splitlines()) + "\n")


def test_wrong_graphs_are_told(golden):
    found = []
    for name, (graph, types) in GRAPHS.items():
        text = logic("println(i);", types=types).replace("() as Out", f"{graph}\n    () as Out")
        found.append(f"# {name}\n{told(text)}")
    golden("lang/spl_graphs.txt", "\n\n".join(found) + "\n")


PROGRAMS = [path.read_text() for path in [*sorted(EXAMPLES.glob("*.spl")), HERE / "operators.spl"]]


@settings(max_examples=150)
@given(st.integers(0, 2**32))
def test_a_damaged_program_gets_an_error_with_a_place(seed):
    draw = random.Random(seed)
    try:
        compile_graph(compiled(damaged(draw.choice(PROGRAMS), draw), "damaged.spl", {}, [HERE]))
    except AnabranchError as error:
        assert isinstance(error.where, Span) and error.where.file == "damaged.spl", error
