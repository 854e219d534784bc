"""Types, expressions and statements: what each prints."""

from __future__ import annotations

import pytest

from lang.spl.spl_support import lines_of, logic, printed

CASES = {
    "mutable int32 n = 1; println(n++ + 10); println(++n); println(n-- == 3 && n == 2);": [
        "11", "3", "true"],
    "mutable int32 n = 0; if (false && n++ == 0) println(9); if (true || n++ == 0) println(n); "
    "println(n > 0 ? n++ : --n); println(n);": ["0", "-1", "-1"],
    "mutable int32 n = 0; while (n++ < 3) if (n == 2) continue; println(n);": ["4"],
    "mutable list<int32> l = [1, 2]; mutable int32 n = 0; l[n++] += 5; l[n]++; println(l); "
    "println(n);": ["[6,3]", "1"],
    "mutable uint8 n = 255ub; println(n++); println(n);": ["255", "0"],
    "float32 f = 0.5f; uint64 u = 7u; println((float64) f); println(u); println(10lu + 5ul);": [
        "0.5", "7", "15"],
    "mutable tuple<int32 a, list<rstring> l> t = {}; println(t); t.a++; appendM(t.l, \"x\"); "
    "println((rstring) t);": [
        "{a=0,l=[]}", '"{a=1,l=[\\"x\\"]}"'],
    "println((rstring) [\"a\"] + (rstring) {\"k\" : 1} + (rstring) {a = \"b\"});": [
        '"[\\"a\\"]{\\"k\\":1}{a=\\"b\\"}"'],
    "map<rstring, int32> m = {\"a\" : 1, \"b\" : 2}; println(remove(m, \"a\")); println(m); "
    "println(keys(m)); println(insert(m, \"c\", 3)); set<rstring> k = keys(m); println(k);": [
        '{"b":2}', '{"a":1,"b":2}', '["a","b"]', '{"a":1,"b":2,"c":3}', '{"a","b"}'],
    "println(insert([1, 2], 9, 1)); println(remove([1, 2], 0)); println(at([5, 6], [1u, 0u])); "
    "println(sortIndices([3, 1, 2])); println(findLast([1, 2, 1], 1));": [
        "[1,9,2]", "[2]", "[6,5]", "[1,2,0]", "2"],
    "println(findFirstNotOf(\"aab\", \"a\")); println(findLastOf(\"abca\", \"ab\", 2)); "
    "println(toCharacterCode(\"AB\", 1));": ["2", "1", "66"],
    "timestamp t = createTimestamp(86400l * 365l + 3661l, 5u); println(year(t)); println(hour(t)); "
    "println(second(t)); println(diffAsNanos(add(t, 7l), t)); println(ctime(t));": [
        "1971", "1", "1", "7", '"Fri Jan  1 01:01:01 1971"'],
    "println(setUnion({1, 2}, {2, 3})); println(setDifference({1, 2}, {2})); "
    "println(product([2, 3, 4])); println(trunc(-2.7)); println(convertFromBlob(convertToBlob("
    "\"hi\")));": [
        "{1,2,3}", "{1}", "24", "-2", '"hi"'],
    "println(getThisFileName()); println(getThisLine()); println(inputPort(In));": [
        '"test.spl"', "9", "0"],
    "In.i = 5ul; println(i); In = {i = 7ul}; println(In); i++; println(In.i);": [
        "5", "{i=7}", "8"],
    # Functions of the reference: an index beyond an end is that end, what is missing is not found.
    "println(makeSequence(5, 3)); println(makeSequence(1.0, 2, 0.5)); "
    "println(makeSequence(\"x\", 2)); println(median([4, 1])); "
    "println(kthelem([3, 1, 2], 1u)); println(stddev([1.0, 3.0]));": [
        "[5,6,7]", "[1,1.5]", '["x0","x1"]', "2", "2", "1"],
    "println(min((list<int32>) [])); println(avg([1, 2])); float64 f = avg([1, 2]); println(f); "
    "println(pow(2, 10)); println(sqrt(17)); println(isNaN(nanl())); println("
    "abs([-1, 2]));": [
        "0", "1", "1.5", "1024", "4", "true", "[1,2]"],
    "println(find([1, 2, 1], 1)); println(findOf([1, 2, 3], [3, 1])); println(findFirst([1, 2, 3, "
    "2], [2, 3])); println(findLastNotOf([1, 2, 1], [1], 9)); "
    "println(pairwiseMax([1, 5], [2, 3])); println(lexicographicalCompare([1, 2], [1, 3])); "
    "println(pairwiseCompare([1, 5], 3));": [
        "[0,2]", "[0,2]", "1", "1", "[2,5]", "-1", "[-1,1]"],
    "println(insert([1], [8, 9], 7)); println(remove([1, 2, 3], 0, 1)); println(remove([1], 5)); "
    "println(remove([1, 2, 3], [0, 2])); println(slice([1, 2, 3, 4, 5, 6], 0, 2, 1, 1)); "
    "println(selectFromList([true, false], [1, 2], [3, 4])); println(countDistinct([1, 1, 2]));": [
        "[1,8,9]", "[3]", "[1]", "[2]", "[1,2,4,5]", "[1,4]", "2"],
    "mutable list<int32> l = [1, 2, 3, 4]; removeM(l, 1, 2); println(l); insertM(l, [7, 8], 1); "
    "println(l); for (int32 i in range(l)) print(i); println(\"\");": [
        "[1,4]", "[1,7,8,4]", '0123""'],
    "mutable tuple<int32 a, rstring b> t = {a = 1, b = \"x\"}; assignFrom(t, {a = 7, c = 2.0}); "
    "println(t); if (isTraceable(Trace.debug)) println(1); appTrc(Trace.info, \"no\");": [
        '{a=7,b="x"}'],
    # What an expression changes, it changes once, wherever it stands, and from left to right.
    "mutable int32 n = 1; println(n + n++); println(n++ + n); println(n * 10 + n++ * n); "
    "println([n, n++, n]); println(max(n, n++));": ["2", "5", "42", "[4,4,5]", "5"],
    "mutable int32 n = 1; println(abs(n++)); println(max([n++, 2])); println({n++}); println(n); "
    "println([n++] .+ 1); println(tokenize((rstring) n++, \",\", false)); map<int32, int32> m = "
    "{n++ : n}; println(m);": ["1", "2", "{3}", "4", "[5]", '["5"]', "{6:7}"],
    # Variables that functions give values to.
    "mutable int32 n = 0; println(strtod(\"2.5kg\", n)); println(n); println(strtoll(\"ff\", 16)); "
    "if (strtoll(\"12x\", 10, n) > 5l && n == 2) println(n); mutable list<rstring> parts = []; "
    "tokenize(\"a--b-c\", \"--\", false, false, parts); println(parts);": [
        "2.5", "3", "255", "2", '["a","b-c"]'],
    "mutable int32 a = 1; mutable int32 b = 2; swap(a, b); println(a); mutable blob x; "
    "appendM(x, 65ub); println(convertFromBlob(x)); println(toCharacterCode(\"A\"));": [
        "2", '"A"', "65"],
    "mutable Sys.tm t = {}; gmtime(createTimestamp(1128456000l, 0u), t); println(t.year); "
    "println(strftime(t, \"%Y-%m-%d %H:%M\")); println(toTimestamp(t)); mutable uint32 n = 0u; "
    "strptime(\"2020-01-02 x\", \"%Y-%m-%d\", t, n); println(n); println(gmyear(toTimestamp(t))); "
    "println(getSeconds(toTimestamp(Sys.MM_DD_YYYY_hh_mm_ss, \"10/04/2005 20:00:00\", "
    "\"EST5\")));": [
        "105", '"2005-10-04 20:00"', "(1128456000,0,0)", "10", "2020", "1128474000"],
    "println((list<int32>) \"[1,2]\"); println((tuple<int32 a>) \"{a=3}\"); println((map<rstring, "
    "int32>) \"{\\\"k\\\":1}\"); println(interpretRStringLiteral(\"\\\"a\\\"\")); println("
    "substring(\"abcd\", -1, 3)); println((float32) 0.1);": [
        "[1,2]", "{a=3}", '{"k":1}', '"a"', '"ab"', "0.1"],
    "int8 x = 127; println(x + 1);": ["-128"],
    "uint8 x = 255; println(x + 1);": ["0"],
    "int16 x = -32768; println(-x);": ["-32768"],
    "int32 x = 2147483647; println(x * x);": ["1"],
    "uint32 x = 0; println(x - 1);": ["4294967295"],
    "int64 x = 9223372036854775807l; println(x + 1);": ["-9223372036854775808"],
    "uint64 x = 18446744073709551615ul; println(x + 1); println(x >> 60);": ["0", "15"],
    "int64 x = 3037000500l; println(x * x * 3);": [
        str((3037000500 ** 2 * 3 + 2**63) % 2**64 - 2**63)],
    "int32 x = -7; println(x / 2); println(x % 2); println(x << 30);": ["-3", "-1", "1073741824"],
    "float64 x = 1.0; println(x / 0.0); println(-x / 0.0);": ["inf", "-inf"],
    "float32 x = 0.1; println((float64) x == 0.1); println(x + x == (float32) 0.2);": [
        "false", "true"],
    "decimal64 x = 1.10d; println(x + 2.2d);": ["3.30"],
    'rstring s = "anabranch"; println(s[3]); println(s[3:6]); println(s[:3]); println(length(s));':
        [
        '"b"', '"bra"', '"ana"', "9"],
    'rstring[3] s = (rstring[3]) "abcdef"; println(s);': [
        '"abc"'],
    'println("a\\tb\\"c" + "d");': [
        '"a\\tb\\"cd"'],
    "list<int32> l = [1, 2, 3]; println(l .* 2); println(l .+ l); println(l[1:]); println(l);": [
        "[2,4,6]", "[2,4,6]", "[2,3]", "[1,2,3]"],
    "list<list<int32>> l = [[1], [2, 3]]; println(l .+ 1);": ["[[2],[3,4]]"],
    "mutable list<int32> l = [1]; list<int32> m = l; appendM(l, 2); println(m); println(l);": [
        "[1]", "[1,2]"],
    "mutable map<rstring, int32> m = {}; m[\"a\"] = 1; m[\"a\"] += 4; println(m); "
    "println(\"a\" in m); removeM(m, \"a\"); println(size(m));": ['{"a":5}', "true", "0"],
    "set<int32> s = {3, 1, 3}; println(s); println(1 in s); println(size(s));": [
        "{3,1}", "true", "2"],
    "mutable tuple<int32 a, tuple<int32 b> c> t = {a = 1, c = {b = 2}}; t.c.b = 7; println(t);": [
        "{a=1,c={b=7}}"],
    "println({a = 1, b = 2} == {a = 1, b = 2});": ["true"],
    "enum{red, green} c = green; println(c); println(c == green);": ["green", "true"],
    "println(1 + 2 * 3 == 7 && !(1 > 2) || false); println(6 & 3 | 8 ^ 1); println(~5);": [
        "true", "11", "-6"],
    "println(true ? 1 : 2); println((int32) 3.99); println((rstring) 5 + \"x\");": [
        "1", "3", '"5x"'],
    "println((list<rstring>) [1, 2]); println((boolean) 3); println((int8) 300);": [
        '["1","2"]', "true", "44"],
    "mutable int32 n = 0; while (n < 10) { n++; if (n == 3) continue; if (n > 5) break; } "
    "println(n);": ["6"],
    "mutable int32 s = 0; for (int32 x in range(1, 5)) s += x; println(s);": ["10"],
    "for (rstring k in {\"x\" : 1, \"y\" : 2}) println(k);": [
        '"x"', '"y"'],
    "switch (2) { case 1: println(1); break; case 2: println(2); case 3: println(3); break; "
    "default: println(4); }": ["2", "3"],
    "switch (9) { case 1: println(1); break; default: println(4); }": ["4"],
    'println(tokenize("a,b;;c", ",;", false)); println(upper("ab"));': [
        '["a","b","c"]', '"AB"'],
    'println(findFirst("abc", "c"));': ["2"],
    'println(regexMatch("key=val", "(\\\\w+)=(\\\\w+)"));': ['["key=val","key","val"]'],
    "println(max(3, 4)); println(abs(-2.5)); println(sqrt(16.0)); println(round(2.5));": [
        "4", "2.5", "4", "3"],
    "println(sum([1, 2, 3])); println(sort([3, 1, 2])); println(min([4.5, 2.0]));": [
        "6", "[1,2,3]", "2"],
    # A complex number has two parts, an optional value may be null.
    "complex64 a = (complex64) (1.0, 2.0); complex32 b = (complex32) (1, 0.1); println(a * a); "
    "println(a / (complex64) (0.0, 0.0)); println(-b); println(real(a) + imag(a)); "
    "println(abs((complex64) (3, 4))); println(a == (complex64) \"(1,2)\"); println(isNaN(a)); "
    "println(sqrt((complex64) -4.0));": [
        "(-3,4)", "(inf,inf)", "(-1,-0.1)", "3", "5", "true", "false", "(0,2)"],
    "mutable optional<int32> x; println(x); println(x ?: 5); println(isPresent(x)); x = 7; "
    "println(x! + 1); println(x == null); println(x == 7); println((int32) x); x = null; "
    "println(x != null ? x! : -1);": [
        "null", "5", "false", "8", "false", "true", "7", "-1"],
    "mutable list<optional<rstring>> l = [\"a\", null]; appendM(l, \"b\"); appendM(l, null); "
    "println(l); println(l[1] ?: l[0]); mutable tuple<int32 a, optional<list<int32>> b> t = "
    "{a = 1, b = [1]}; mutable optional<list<int32>> m = t.b; t.b = null; println(t); println(m); "
    "println((optional<int64>) 5l); println(i > 5ul ? null : \"y\");": [
        '["a",null,"b",null]', '"a"', "{a=1,b=null}", "[1]", "5", '"y"'],
    "timestamp t = createTimestamp(5l, 500000000u); println(t); println(diff(add(t, 1.5), t));": [
        "(5,500000000,0)", "1.5"],
}


@pytest.mark.parametrize("statements", CASES)
def test_statements_print(statements):
    assert lines_of(statements) == CASES[statements]


def test_functions_call_each_other_and_change_what_is_mutable():
    types = """
        int32 fib(int32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        void fill(mutable list<int32> l, int32 n) { for (int32 i in range(n)) appendM(l, fib(i)); }
    """
    assert lines_of("mutable list<int32> l = []; fill(l, 8); println(l);", types=types) == [
        "[0,1,1,2,3,5,8,13]"]


def test_state_lives_on():
    assert lines_of("n += i; println(n);", count=4, state="mutable uint64 n = 10;") == [
        "10", "11", "13", "16"]


def test_types_are_put_together():
    types = "type A = tuple<int32 x>; type B = A, tuple<rstring y>; type Id = uint64;"
    assert lines_of('B b = {y = "z", x = 1}; Id n = i; println(b); println(n);', types=types) == [
        '{x=1,y="z"}', "0"]


NESTED = """
composite Doubled(input In; output Out) {
  param expression<int32> $by: 2; attribute $what; type $T;
  graph
    stream<$T> Out = Functor(In) { output Out: $what = $what * $by; }
}
composite Twice(input A; output B) {
  graph
    stream<int32 n> Middle = Doubled(A) { param what: n; T: tuple<int32 n>; }
    stream<int32 n> B = Doubled(Middle) { param by: 5; what: n; T: tuple<int32 n>; }
}
composite Main {
  graph
    stream<int32 n> In = Beacon() {
      param iterations: 3; output In: n = (int32) IterationCount();
    }
    stream<In> Out = Twice(In) {}
    stream<In> Again = Twice(Out) {}
    () as Sink = Custom(Out, Again) { logic onTuple Out: println(n); }
}
"""


def test_composites_stand_in_each_other():
    assert printed(NESTED).split() == ["0", "0", "10", "100", "20", "200"]


def test_a_final_marker_is_seen_once():
    text = logic("n++;", 5, "mutable int32 n = 0;").replace(
        "n++; }", 'n++; } onPunct In: if (currentPunct() == Sys.FinalMarker) println(n);')
    assert printed(text) == "5\n"


FUNCTIONS = """
int32 f(int32 a) { return a + 1; }
int32 f(int32 a, int32 b) { return a * b; }
rstring f(rstring s) { return s + s; }
<numeric T> T twice(T a) { return a + a; }
<any T> public int32 places(list<T> l, T x) { mutable int32 n = 0; for (T y in l) if (y == x) n++;
    return n; }
void bump(mutable int32 x, mutable list<int32> l) { x++; appendM(l, x); }
void say(rstring s) { printStringLn("> " + s); }
int32 noisy(int32 x) { say((rstring) x); return x * 2; }
boolean next(mutable tuple<int32 a> t) { t.a += 2; return t.a < 5; }
"""


def test_functions_of_one_name_and_generic_ones():
    statements = """println(f(1)); println(f(2, 3)); println(f("x")); println(twice(4));
        println(twice(1.5)); uint8 u = 200ub; println(twice(u)); println(places(["a", "b"], "b"));
        mutable int32 n = 1; mutable list<int32> l = []; bump(n, l); bump(n, l); println(l);
        mutable tuple<int32 a> t = {a = 0}; while (next(t)) println(t.a); println(t);
        if (n > 5 && noisy(1) > 0) say("no"); println(abs(noisy(3)));"""
    assert lines_of(statements, types=FUNCTIONS, state="int32 k = f(4); mutable int32 m = k;") == [
        "2", "6", '"xx"', "8", "3", "144", "1", "[2,3]", "2", "4", "{a=6}", "> 3", "6"]
