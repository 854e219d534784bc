"""What each operator of the toolkit gives, and the same on the multicore engine."""

from __future__ import annotations

import pytest

from lang.spl.spl_support import printed

PROGRAM = """
composite More(input In; output Out) {{
  param expression<int32> $of;
  type static N = tuple<int32 id>;
  graph stream<N> Out = Functor(In) {{ output Out: id = $of; }}
}}
@consistent(trigger=periodic, period=1.0)
composite Main {{
  param expression<int32> $here: 5;
  type T = tuple<int32 id, rstring s>;
  graph
    stream<T> In = Beacon() {{
      param iterations: 8;
      output In: id = (int32) IterationCount(), s = id_text(IterationCount());
    }}
    stream<T> Odd = Filter(In) {{ param filter: id % 2 == 1; }}
    {graph}
}}
type Pair = tuple<int32 a, int32 b>;
boolean start(mutable Pair c) {{ c.a = 0; c.b = 1; return true; }}
void take(int32 x, mutable Pair c) {{ c.a += x; c.b++; }}
Pair swapped(Pair p) {{ return {{a = p.b, b = p.a}}; }}
rstring id_text(uint64 n) {{ return "s" + (rstring) (n % 3ul); }}
"""
SHOW = "() as Show = Custom(Out) {{ logic onTuple Out: printStringLn((rstring) ({})); }}"
ID = SHOW.format("id")
MARKS = """() as Show = Custom(Out) { logic onTuple Out: printString((rstring) id + " ");
    onPunct Out: if (currentPunct() == Sys.WindowMarker) printStringLn("|");
    else printStringLn("."); }"""
CASES = {
    "Split": ("""(stream<T> Out; stream<T> Other) = Split(In) { param index: id == 5 ? -1 : id; }
        """ + ID, "0 2 4 6"),
    "Split by lists": ("""(stream<T> A; stream<T> Out) = Split(In) {
        param index: id < 3 ? [0, 1] : [0]; } """ + ID, "0 1 2"),
    "Union": ("""stream<int32 id> Out = Union(Odd; More) {}
        stream<int32 id, int32 x> More = Functor(In) { output More: x = 1; } """ + ID,
              "0 1 1 2 3 3 4 5 5 6 7 7"),
    "Functor with logic": ("""stream<int32 id> Out = Functor(In) {
        logic state: mutable int32 sum = 0; onTuple In: sum += id;
        param filter: sum % 2 == 0; output Out: id = sum; } """ + ID, "0 6 10 28"),
    "Functor with two outputs": ("""(stream<int32 id> Out; stream<int32 id> B) = Functor(In) {
        output Out: id = id * 2; B: id = id * 3; }
        () as P = Custom(B) { logic onTuple B: if (id == 21) println(id); } """ + ID,
                                 "0 2 4 6 8 10 12 21 14"),
    "DeDuplicate": ("stream<T> Out = DeDuplicate(In) { param key: s; } " + ID, "0 1 2"),
    "DeDuplicate among the last": ("stream<T> Out = DeDuplicate(In) { param key: s; count: 4; } "
                                   + ID, "0 1 2"),
    "Pair": ("stream<T> Out = Pair(In; Odd) {} " + ID, "0 1 1 3 2 5 3 7"),
    "Barrier": ("""stream<int32 a, int32 b> Out = Barrier(In; Odd) {
        output Out: a = In.id, b = Odd.id; } """ + SHOW.format("a * 10 + b"), "1 13 25 37"),
    "Switch": ("""stream<T> Out = Switch(In; Odd) {
        param status: Odd.id != 3; initialStatus: false; } """ + ID, "0 1 2 3 4 5 6 7"),
    "Gate": ("stream<T> Out = Gate(In; Odd) { param maxUnackedTupleCount: 2; } " + ID,
             "0 1 2 3 4 5"),
    "DynamicFilter": ("""(stream<T> Out; stream<T> Not) = DynamicFilter(In; Odd; Gone) {
        param key: In.s; addKey: Odd.s; removeKey: Gone.s; }
        stream<T> Gone = Filter(In) { param filter: id == 5; } """ + ID, "4 6 7"),
    "Throttle": ("stream<T> Out = Throttle(In) { param rate: 10000.0; } " + ID, "0 1 2 3 4 5 6 7"),
    "Parse and Format": ("""stream<rstring line> Lines = Format(In) {
        param format: csv; output Lines: line = Output(); }
        stream<T> Out = Parse(Lines) { param format: csv; } """ + SHOW.format("s"),
                         "s0 s1 s2 s0 s1 s2 s0 s1"),
    "Sort by a sliding window": ("""stream<T> Out = Sort(In) {
        window In: sliding, count(3); param sortBy: s; order: descending; } """ + ID,
                                 "2 1 5 4 7 0 3 6"),
    "markers": ("""stream<T> Marked = Punctor(In) {
        param punctuate: id % 3 == 2; position: before; }
        stream<T> Kept = Filter(Marked) { param filter: id != 4; }
        stream<T> Named = Functor(Kept) {}
        stream<T> Out = Custom(Named) { logic onTuple Named: submit(Named, Out);
            onPunct Named: submit(Sys.WindowMarker, Out); } """ + MARKS, "0 1 | 2 3 | 5 6 7 | | ."),
    "markers of windows": ("""stream<int32 id> Out = Aggregate(In) {
        window In: tumbling, count(3); output Out: id = Sum(id); } """ + MARKS, "3 | 12 | ."),
    "delta": ("""stream<int32 id, list<int32> l> Out = Aggregate(In) {
        window In: tumbling, delta(id, 2); param aggregateIncompleteWindows: true;
        output Out: l = Collect(id); } """ + SHOW.format("(rstring) l"), "[0,1,2] [3,4,5] [6,7]"),
    "sliding delta": ("""stream<int32 n> Out = Aggregate(In) {
        window In: sliding, delta(id, 2), delta(id, 1); output Out: n = Sum(id); } """
                      + SHOW.format("n"), "9 15"),
    "groups": ("""stream<rstring s, int32 n> Out = Aggregate(In) {
        window In: tumbling, count(4); param groupBy: s; output Out: n = Count(); } """
               + SHOW.format("s + (rstring) n"), "s02 s11 s21 s12 s21 s01"),
    "Join": ("""stream<int32 a, int32 b> Out = Join(In; Odd) {
        window In: sliding, count(3); Odd: sliding, count(3);
        param equalityLHS: In.s; equalityRHS: Odd.s; output Out: a = In.id, b = Odd.id; } """
             + SHOW.format("a * 10 + b"), "11 33 41 55 63 71 77"),
    "Join of partitioned windows": ("""stream<int32 a, int32 b> Out = Join(In; Odd) {
        window In: sliding, count(1), partitioned; Odd: sliding, count(0), partitioned;
        param partitionByLHS: s; partitionByRHS: s; output Out: a = In.id, b = Odd.id; } """
                                    + SHOW.format("a * 10 + b"), "11 33 55 77"),
    "Delay": ("stream<T> Out = Delay(In) { param delay: 0.01; bufferSize: 5u; } " + ID,
              "0 1 2 3 4 5 6 7"),
    "ThreadedSplit": ("(stream<T> Other; stream<T> Out) = ThreadedSplit(In) {} " + ID, "1 3 5 7"),
    "duplicates": ("""(stream<T> More; stream<T> Out) = DeDuplicate(In) {
        param key: s; deltaAttribute: id; delta: 3; resetOnDuplicate: false; } """ + ID, "3 4 5"),
    "DeDuplicate by what is computed": (
        "stream<T> Out = DeDuplicate(In) { param key: id / 3; } " + ID, "0 3 6"),
    "an outer Join": ("""(stream<int32 a, int32 b> J; stream<T> Out; stream<T> N) = Join(In; Odd) {
        window In: sliding, count(2); Odd: sliding, delta(id, 2);
        param match: In.id == Odd.id + 1; algorithm: outer; output J: a = In.id, b = Odd.id; }
        """ + ID, "0 1 3 5"),
    "a left outer Join": ("""stream<int32 a, int32 b> Out = Join(In; Odd) {
        window In: sliding, count(0); Odd: sliding, count(1);
        param match: In.id == Odd.id + 1; algorithm: leftOuter;
            defaultTupleRHS: {id = -1, s = ""};
        output Out: a = In.id, b = Odd.id; } """ + SHOW.format("a * 10 + b"),
                          "-1 9 21 29 43 49 65 69"),
    "a Join with one side in parts": ("""stream<int32 a, int32 b> Out = Join(In; Odd) {
        window In: sliding, count(1), partitioned; Odd: sliding, count(0);
        param partitionByLHS: s; match: In.id < Odd.id; output Out: a = In.id, b = Odd.id; } """
                                      + SHOW.format("a * 10 + b"), "1 13 23 35 45 57 67"),
    "sliding windows are looked at when they are full": ("""stream<int32 n> Out = Aggregate(In) {
        window In: sliding, count(3), count(2); output Out: n = Sum(id); } """ + SHOW.format("n"),
                                                         "6 12 18"),
    "or before": ("""stream<int32 n> Out = Aggregate(In) {
        window In: sliding, count(3), count(2); param aggregateIncompleteWindows: true;
        output Out: n = Sum(id); } """ + SHOW.format("n"), "1 6 12 18"),
    "the mean of integers is one": ("""stream<int32 n, float64 f> Out = Aggregate(In) {
        window In: tumbling, count(4); output Out: n = Average(id), f = Average(id); } """
                                    + SHOW.format('(rstring) n + "," + (rstring) f'),
                                    "1,1.5 5,5.5"),
    "counts of groups": ("""stream<rstring s, int32 n, int32 all, int32 g, list<int32> l>
        Out = Aggregate(In) { window In: tumbling, count(8); param groupBy: s;
        output Out: n = Count(), all = CountAll(), g = CountGroups(), l = CountByGroup(); } """
                         + SHOW.format('s + (rstring) [n, all, g] + (rstring) l'),
                         "s0[3,8,3][3,3,2] s1[3,8,3][3,3,2] s2[2,8,3][3,3,2]"),
    "what is at the extreme": ("""stream<list<int32> l, rstring t> Out = Aggregate(In) {
        window In: tumbling, count(8); output Out: l = CollectArgMax(id % 3, id), t = Sum(s); } """
                               + SHOW.format('(rstring) l + t'), "[2,5]s0s1s2s0s1s2s0s1"),
    "a tumbling Sort keeps what is left": ("""stream<T> Out = Sort(In) {
        window In: tumbling, count(3); param sortBy: s; order: descending; } """ + ID,
                                           "2 1 0 5 4 3"),
    "a Sort of what a source gives": ("""stream<T> Out = Sort(In) {
        window In: tumbling, punct(); param sortBy: s; } """ + ID, "0 3 6 1 4 7 2 5"),
    "Switch is open when it is told": ("""stream<T> Out = Switch(In; Odd) {
        param status: Odd.id == 5; } """ + ID, "0 1 2 3 4 5 6 7"),
    "keys of several parts": ("""stream<T> Out = DynamicFilter(In; Odd) {
        param key: In.s, In.id % 2; addKey: Odd.s, 0; } """ + ID, "4 6"),
    "export and import": ("""() as E = Export(Odd) { param properties: {kind = "odd", n = [1, 2]}; }
        () as F = Export(In) { param streamId: "all"; }
        stream<T> A = Import() { param subscription: kind == "odd" && 2 in n; filter: id > 3; }
        stream<T> B = Import() { param applicationName: "Main"; streamId: "all"; }
        stream<T> Out = Union(A; B) {} """ + ID, "0 1 2 3 4 5 5 6 7 7"),
    "logic before an operator": ("""stream<T> Out = DynamicFilter(In; Odd) {
        logic state: mutable int32 n = 0; onTuple Odd: { n++; printStringLn("add " + (rstring) n); }
        param key: In.s; addKey: Odd.s; } """ + ID,
                                 "add 1 add 2 4 add 3 6 add 4 7"),
    "a Filter with logic": ("""(stream<T> A; stream<T> Out) = Filter(In) {
        logic state: mutable int32 n = 0; onTuple In: n += id; param filter: n % 2 == 0; } """
                            + ID, "1 2 5 6"),
    "a source by its process": ("""stream<T> Out = Custom() { logic
        state: mutable int32 n = 0;
        onProcess: while (n++ < 3) submit({id = n, s = "x"}, Out); } """ + ID, "1 2 3"),
    "a Beacon with logic": ("""stream<T> Out as O = Beacon() { logic state: mutable int32 n = 5;
        param iterations: 3; output O: id = n++ * 10 + n, s = (rstring) IterationCount(); } """
                            + SHOW.format("(rstring) id + s"), "560 671 782"),
    "a placement": ("""@parallel(width=3) stream<T> A = Functor(In) {
            config placement: hostColocation("h"); restartable: true; threadedPort: queue(In); }
        stream<T> Out = Filter(A) { param filter: id < 2; config placement: hostColocation("h"); }
        """ + ID, "0 1"),
    "windows by the clock": ("""stream<int32 n> A = Aggregate(In) {
        window In: tumbling, time(600); output A: n = Sum(id); }
        stream<int32 n> B = Aggregate(In) {
        window In: sliding, time(600.0), count(4); param aggregateIncompleteWindows: true;
        output B: n = Sum(id); }
        stream<int32 n> Out = Union(A; B) {} """ + SHOW.format("n"), "6 28 28"),
    "Join by the clock": ("""stream<int32 a, int32 b> Out = Join(In; Odd) {
        window In: sliding, time(600); Odd: sliding, time(600);
        param match: In.id == Odd.id; output Out: a = In.id, b = Odd.id; } """
                          + SHOW.format("a * 10 + b"), "11 33 55 77"),
    "Parse of bytes": ("""stream<blob b> Bytes = Format(In) {
        param format: csv; output Bytes: b = Output(); }
        stream<blob c> Cut = Custom(Bytes) { logic onTuple Bytes: {
            submit({c = (blob) b}, Cut); } }
        stream<T> Out = Parse(Cut) { param format: csv; } """ + ID, "0 1 2 3 4 5 6 7"),
    "Parse of several lines": ("""stream<rstring line> Lines = Custom(Odd) { logic onTuple Odd:
            submit({line = (rstring) id + ",x\\n" + (rstring) (id + 10) + ",y\\n"}, Lines); }
        stream<T> Out = Parse(Lines) { param format: csv; } """ + ID, "1 11 3 13 5 15 7 17"),
    "parameters of other widths": ("""stream<T> Out = Gate(In; Odd) {
        param maxUnackedTupleCount: 2u; numTuplesToAck: 1u; }
        () as Plane = JobControlPlane() {} """ + ID, "0 1 2 3 4 5"),
    "attributes in the parameters of composites": ("""stream<int32 id> Out = More(In) {
        param of: id * 10 + $here; } """ + ID, "5 15 25 35 45 55 65 75"),
    "one submit, with a type of a file": ("""stream<Pair> Out = Custom(In) {
        logic onTuple In: submit(swapped({a = id, b = 1}), Out); } """ + SHOW.format("a * 10 + b"),
                                          "10 11 12 13 14 15 16 17"),
    "one submit that changes something": ("""stream<T> Out = Custom(In) {
        logic onTuple In: submit({id = id++ * 10 + id, s = s}, Out); } """ + ID,
                                          "1 12 23 34 45 56 67 78"),
    "an aggregate of the program's own": ("""stream<int32 id, int32 n> Out = Aggregate(In) {
        logic state: mutable Pair c; window In: tumbling, count(4); param groupBy: id / 2;
        output Out: id = Custom(start(c), take(id, c), c.a * 10 + c.b), n = Count(); } """
                                          + SHOW.format("id * 10 + n"), "132 532 932 1332"),
    "files whose names come": ("""stream<rstring f> Names = Custom(In) { logic onTuple In:
            if (id < 2) submit({f = "/dev/null"}, Names); }
        stream<T> Read = FileSource(Names) { param format: csv; }
        stream<T> Out = Union(In; Read) {} """ + ID, "0 1 2 3 4 5 6 7"),
    "types of composites": ("""stream<More.N> Out = More(In) { param of: id; } """ + ID,
                            "0 1 2 3 4 5 6 7"),
    "Barrier by parts": ("""stream<rstring s, int32 a, int32 b> Out = Barrier(Odd; In) {
        param partitionByLHS: Odd.s; partitionByRHS: In.s; output Out: a = Odd.id, b = In.id; }
        """ + SHOW.format("s + (rstring) [a, b]"),
                         "s1[1,1] s0[3,0] s2[5,2] s1[7,4]"),
    "Pair by parts, with markers": ("""stream<T> Out = Pair(In; Odd; In) {
        param partitionBy0: In.id % 3; partitionBy1: Odd.id % 3; partitionBy2: id % 3; } """
                                    + MARKS, "1 1 1 | 0 3 0 | 2 5 2 | 4 7 4 | ."),
    "markers pass those who do not look": ("""stream<T> M = Punctor(In) {
            param punctuate: id % 4 == 3; position: after; }
        stream<int32 n> Looks = Aggregate(M) {
            window M: tumbling, punct(); output Looks: n = Count(); }
        stream<int32 a, int32 b> B = Barrier(M; In) { output B: a = M.id, b = In.id; }
        stream<T> F = DynamicFilter(M; M) { param key: M.id; addKey: M.id % 2; }
        stream<T> S = Switch(M; Odd) { param status: Odd.id > 0; }
        stream<rstring s> L = Format(M) { param format: csv; output L: s = Output(); }
        stream<int32 id> P = Functor(F) {} stream<int32 id> Q = Functor(S) {}
        stream<int32 id> R = Functor(B) { output R: id = a + b; }
        stream<int32 id> U = Functor(Looks) { output U: id = 100 * n; }
        stream<int32 id> V = Functor(L) { output V: id = 1000; }
        stream<int32 id> Out = Union(P; Q; R; U; V) {} """ + ID,
                                           "0 1 2 3 4 5 6 7 0 2 4 6 8 10 12 14 400 400 "
                                           + "1000 " * 8),
    "Split by what stands twice in a list": ("""(stream<T> Out; stream<T> B) = Split(In) {
        param index: id < 2 ? [id, 0] : [-1]; } """ + ID, "0 0 1"),
    "placements": ("""stream<T> A = Functor(In) { config placement: partitionColocation("p"),
            partitionExlocation("q"), host(Pool1[0]), hostIsolation; hostPool: Pool1 = ["a", "b"]; }
        @threading(model=manual) @parallel(width=2)
        stream<T> B = Functor(A) { config placement: partitionColocation("p"); }
        stream<T> Out = Filter(B) { param filter: id < 2; config placement: partitionIsolation; }
        """ + ID, "0 1"),
    "bytes of tuples": ("""stream<blob b> Bytes = Format(In) {
            param format: bin; output Bytes: b = Output(); }
        stream<T> Out = Parse(Bytes) { param format: bin; } """ + ID, "0 1 2 3 4 5 6 7"),
    "statistics": ("""stream<float64 d, int32 m, int32 c> Out = Aggregate(In) {
        window In: tumbling, count(8);
        output Out: d = PopulationStdDev((float64) id), m = ArgMax(id % 4, id),
            c = CountDistinct(s); } """ + SHOW.format(
                '(rstring) (d * d) + " " + (rstring) m + " " + (rstring) c'),
                   "5.25 3 3"),
}


UNORDERED = ("markers pass those who do not look",)


@pytest.mark.parametrize("case", CASES)
def test_the_operator_gives(case):
    graph, expected = CASES[case]
    text = PROGRAM.format(graph=graph.replace("{{", "{").replace("}}", "}"))
    told = printed(text)
    # Streams that come together again are compared without their order.
    in_order = sorted if case in UNORDERED else list
    assert in_order(told.split()) == in_order(expected.split())
    assert printed(text, engine="multicore", workers=2, tune={"slice_size": 3}) == told


def test_the_files_of_a_folder(tmp_path):
    for name in ("b.log", "a.log", "c.txt"):
        (tmp_path / name).write_text("x\n")
    graph = f"""stream<rstring file> Out = DirectoryScan() {{
        param directory: "{tmp_path}"; pattern: "log$"; }} """ + SHOW.format("file").replace(
            "{{", "{").replace("}}", "}")
    assert printed(PROGRAM.format(graph=graph)).splitlines() == [
        str(tmp_path / "a.log"), str(tmp_path / "b.log")]
