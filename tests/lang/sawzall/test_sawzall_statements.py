"""What statements do, seen by what they print."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lang.sawzall.szl import lines_in, ran

CASES = {
    "loops": ("""
        for (i := 0; i < 6; i++) { if (i == 1) continue; if (i == 4) break;
          emit stdout <- string(i); }
        n := 3; while (n > 0) n--; do n = n + 2; while (n < 3); emit stdout <- string(n);
        """, "0\n2\n3\n4\n"),
    "a switch in a loop": ("""
        for (i := 0; i < 5; i++) {
          switch (i) { case 1: continue; case 2, 3: break; emit stdout <- "not reached";
                       default: emit stdout <- "case " + string(i); }
          emit stdout <- "after " + string(i); }
        """, "case 0\nafter 0\nafter 2\nafter 3\ncase 4\nafter 4\n"),
    "a switch of strings": ("""
        switch ("b") { case "a": emit stdout <- "A"; case "b": emit stdout <- "B"; default: ; }
        """, "B\n"),
    "quantifiers": ("""
        a: array of int = {1, 2, 2}; b: array of int = {2, 3}; m: map[string] of int = {"x": 2};
        when (i: each int; a[i] == 2) emit stdout <- "each " + string(i);
        when (i: some int; a[i] == 2) emit stdout <- "some " + string(i);
        when (i: all int; a[i] > 0) emit stdout <- "all";
        when (i: all int; a[i] > 1) emit stdout <- "not all";
        when (i: some int; j: each int; a[i] == b[j]) emit stdout <- format("%d %d", i, j);
        when (i: each int; j: all int; a[i] <= b[j]) emit stdout <- "least " + string(i);
        when (s: each string; m[s] == 2) emit stdout <- s;
        when (i: each int; a[i] + a[i + 1] == 4) emit stdout <- "pair " + string(i);
        when (1 < 2) emit stdout <- "plain";
        """, "each 1\neach 2\nsome 1\nall\n1 0\nleast 0\nleast 1\nleast 2\nx\npair 1\nplain\n"),
    "a quantifier runs over what all have": ("""
        a: array of int = {1, 2, 3}; b: array of int = {1, 2}; none: array of int = {};
        when (i: all int; a[i] == b[i]) emit stdout <- "all";
        when (i: all int; none[i] == a[i]) emit stdout <- "none";
        m: map[string] of int = {"z": 1, "a": 2}; n: map[string] of int = {"b": 1, "a": 3};
        when (k: each string; def(m[k])) emit stdout <- k;
        count := 0; when (k: each string; def(m[k]) || def(n[k])) count++;
        when (k: each string; m[k] < n[k]) emit stdout <- string(count) + k;
        """, "all\nnone\nz\na\n3a\n"),
    "emitted maps are sorted, and unsigned integers get a sign": ("""
        u: table collection of uint; emit u <- 18446744073709551615U;
        m: table collection of map[string] of int; emit m <- {"z": 1, "a": 2};
        """, 'emit u <- -1;\nemit m <- {"a": 2, "z": 1};\n'),
    "a declaration in the last part of a loop": ("""
        for (i := 0; i < 3; last: int = i) { i++; if (i == 2) continue; emit stdout <- string(i); }
        """, "1\n3\n"),
    "tables as arguments": ("""
        type Lines = table collection of string; t: table sum[k: string] of int;
        shown: table collection of s: string file("/dev/stdout") format("<%s>\\n", s);
        count := function(to: table sum[string] of int, k: string) { emit to[k] <- 2; };
        say := function(to: Lines, s: string) { emit to <- s; again := function() { emit to <- s; };
          again(); };
        count(t, "x"); say(stdout, "y"); say(shown, "z");
        """, 'emit t["x"] <- 2;\ny\ny\n<z>\n<z>\n'),
    "functions": ("""
        fib: function(n: int): int { if (n < 2) return n; return fib(n - 1) + fib(n - 2); };
        counter := 0; count := function() { counter++; }; count(); count();
        twice: function(f: function()) { f(); f(); }; twice(count);
        make: function(): function(): int { g: function(): int { return counter; }; return g; };
        emit stdout <- format("%d %d %d %s", fib(15), counter, make()(), string(count));
        """, "610 4 4 count\n"),
    "values are copied": ("""
        a: array of array of int = {{1}, {2}}; b: array of array of int = a; b[0][0] = 9;
        m: map[string] of array of int = {"k": {1}}; n: map[string] of array of int = m;
        n["k"][0]++; n["new"] = {5}; type P = {x: int, s: string}; t: P = {1, "abc"}; u: P = t;
        u.s[1] = 'X'; change: function(p: array of int): int { p[0] = 7; return p[0]; };
        emit stdout <- string(a) + string(m) + string(t) + string(u);
        emit stdout <- string(change(a[0])) + string(a[0]);
        """, '{ { 1 }, { 2 } }{ "k": { 1 } }{ 1, "abc" }{ 1, "aXc" }\n7{ 1 }\n'),
    "slices are assigned": ("""
        s: string = "abcdef"; s[1:4] = "X"; b: bytes = B"abc"; b[0] = 'z'; b[1:1] = B"--";
        a: array of int = {1, 2, 3}; a[2:3] = {7, 8}; a[0]--;
        emit stdout <- s + string(b) + string(a);
        """, "aXefz--bc{ 0, 2, 7, 8 }\n"),
    "static": ("""
        static k := 10; static square := function(n: int): int { return n * n; };
        static kept: map[int] of int = {1: square(k)};
        f: function(): int { static inner := k + 1; return inner; };
        emit stdout <- string(kept[1]) + string(f());
        """, "10011\n"),
    "members of types": ("""
        type P = { a: int, static k := 5, static twice := function(n: int): int { return n * 2; },
                   type Q = { z: int } };
        q: P.Q = { 3 }; emit stdout <- string(P.twice(P.k) + q.z);
        """, "13\n"),
    "types in themselves": ("""
        type Tree = { v: int, kids: array of Tree };
        t: Tree = { 1, { { 2, {} }, { 3, { { 4, {} } } } } };
        sum: function(t: Tree): int { s := t.v;
          for (i := 0; i < len(t.kids); i++) s = s + sum(t.kids[i]); return s; };
        emit stdout <- string(sum(t)); emit stdout <- string(t.kids[0]);
        """, "10\n{ 2, {  } }\n"),
    "the rest of a text": ("""
        s: string = "10 20 30 40"; a: array of int = sawn(2, s, regex(int), rest s);
        emit stdout <- string(a) + s;
        """, "{ 10, 20 } 30 40\n"),
    "declarations convert": ("""
        x: { i: int, f: float } = saw("12 1.5", `[0-9]+`, `[0-9.]+`); s: string = 3; f: float = 2;
        emit stdout <- string(x) + s + string(f); a: array of int = {"1", "2"};
        emit stdout <- string(a);
        """, "{ 12, 1.5 }32.0\n{ 1, 2 }\n"),
    "statement expressions": ("""
        x := 3; y := ?{ t := 0; for (i := 0; i < x; i++) { t = t + i; if (t > 2) result -t; }
                        result t; };
        result: int = 5; result = result + y; emit stdout <- string(result);
        """, "2\n"),
    "keys of all types": ("""
        m: map[{string, array of int}] of int = {:}; k: {string, array of int} = {"a", {1}};
        m[k] = 3; emit stdout <- string(m[{"a", {1}}]) + string(keys(m)[0]) + string(haskey(m, k));
        """, '3{ "a", { 1 } }true\n'),
    "expressions for their effects": ("""
        f: function(b: bool): bool { emit stdout <- string(b); return b; };
        f(false) and f(true); f(false) && f(true); !f(true); f(true) || f(false);
        """, "false\ntrue\nfalse\ntrue\ntrue\n"),
    "functions with a named type": ("""
        type F = function(s: string): string; f: F { return "f " + s; };
        a: array of F = new(array of F, 2, f); a[1] = F { return "g " + s; };
        t: { x: F } = { f }; emit stdout <- a[1]("a") + t.x("b");
        """, "g af b\n"),
    "rests in between": ("""
        a: string; b: string; p := saw("http://x.org/q", `[a-z]+`, rest a, skip `://`, `[a-z.]+`,
                                       rest b);
        emit stdout <- a + " " + b + " " + string(p);
        """, '://x.org/q /q { "http", "x.org" }\n'),
    "slices with quantifiers": ("""
        common: function(a: string, b: string, n: int): int {
          when (i: some int; j: some int; k: some int; l: some int;
                j >= i + n && a[i:j] == b[k:l]) return i;
          return -1; };
        emit stdout <- format("%d %d", common("abcdefg", "zxdefz", 3), common("ab", "cd", 1));
        """, "3 -1\n"),
    "debugging": ('x := DEBUG("print", "%d%s", 3, "\\n"); emit stdout <- string(x);', "3\n0\n"),
    "a return ends the record": ('emit stdout <- "a"; return; emit stdout <- "b";', "a\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_statements(name):
    text, expected = CASES[name]
    assert ran(text) == expected


UNDEFINED = """
    a: array of int = {1}; x: int = a[5]; emit stdout <- string(def(x));
    f: function(): int { return 1 / 0; }; emit stdout <- string(def(f()));
    u: string; emit stdout <- string(def(u)); u = "now"; emit stdout <- u;
    v := 1; ___undefine(v); emit stdout <- string(def(v));
"""


def test_what_is_undefined():
    assert ran(UNDEFINED) == "false\nfalse\nfalse\nnow\nfalse\n"


def test_undefined_values_are_passed_over():
    text = """
        a: array of int = {1}; b: array of int = {2};
        emit stdout <- string(a[1]); if (a[2] == 1) emit stdout <- "x"; else emit stdout <- "y";
        while (a[3] > 0) emit stdout <- "never"; switch (a[4]) { default: emit stdout <- "no"; }
        b[7] = 3; emit stdout <- string(def(b)); emit stdout <- "end";
        """
    assert ran(text, ignore_undefs=True) == "false\nend\n"


def test_files_are_included_inside_of_statements(tmp_path):
    (tmp_path / "sum.szl").write_text("n := 5; return n + m;")
    (tmp_path / "two.szl").write_text('emit stdout <- "one"; emit stdout <- "two";')
    text = """f := function(m: int): int { include "sum.szl" }; emit stdout <- string(f(3));
        if (true) include "two.szl" """
    assert ran(text, file=str(tmp_path / "p.szl")) == "8\none\ntwo\n"


def test_files_are_found_in_the_folders_of_the_include_path(tmp_path):
    for folder, value in (("own", 1), ("first", 2), ("second", 3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.szl").write_text(f"{folder} := {value};")
    (tmp_path / "second" / "first.szl").write_text("first := 7;")
    (tmp_path / "first" / "own.szl").write_text("own := 8;")
    text = """include "own.szl" include "first.szl" include "second.szl"
        all_: array of int = {own, first, second}; emit stdout <- string(all_);"""
    folders = (str(tmp_path / "first"), str(tmp_path / "second"))
    assert ran(text, file=str(tmp_path / "own" / "p.szl"), folders=folders) == "{ 1, 2, 3 }\n"


def test_included_files_are_part_of_the_program(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "one.szl").write_text('include "two.szl"\none := two - 1;')
    (tmp_path / "lib" / "two.szl").write_text("two := 2;")
    text = 'include "lib/one.szl"\ninclude "lib/two.szl";\nemit stdout <- string(one + two);'
    assert ran(text, file=str(tmp_path / "main.szl")) == "3\n"


@pytest.mark.parametrize("declared", ["", "input: bytes;", "input: string;"])
def test_a_program_runs_once_for_each_line(declared, tmp_path):
    path = lines_in(tmp_path, "a", "", "bc")
    text = f"{declared} emit stdout <- string(len(input)) + string(input_key);"
    assert ran(text, (path,)) == "10\n01\n22\n"
    assert ran(text, (path,), limit=2) == "10\n01\n"


def test_a_last_line_needs_no_end_and_an_empty_file_has_none(tmp_path):
    path, empty = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_bytes(b"x\r\ny")
    empty.write_bytes(b"")
    assert ran("emit stdout <- string(len(input));", (path, empty)) == "2\n1\n"


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"\xff\x00\n")
    text = 'emit stdout <- string(input[0]); emit stdout <- string(def(string(input)));'
    assert ran(text, (path,)) == "255\nfalse\n"


def test_bytes_are_written_as_they_are(tmp_path):
    program, path = tmp_path / "p.szl", tmp_path / "a.bin"
    path.write_bytes(b"a\xff\xc3\xbc\n")
    program.write_text('emit output <- input;')
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run([sys.executable, "-m", "anabranch", "run", str(program), str(path),
                           "--engine", "sequential"], capture_output=True, env=strict)
    assert (done.returncode, done.stdout) == (0, b"a\xff\xc3\xbc")


AGREE = {
    "a place is computed once": """
        calls := 0; at: function(i: int): int { calls++; return i; };
        a: array of array of int = {{1, 2}, {3, 4}}; s: array of string = {"abcd"};
        a[at(1)][$ - 1] = 9; a[at(1)][$ - 1]++; s[at(0)][$ - 3:$ - 1] = "XY";
        assert(calls == 3 && a[1][1] == 10 && s[0] == "aXYd");""",
    "what is static in a statement expression": """
        static one := ?{ static i: int = 4; result i + ?{ static j := 3; result j; }; };
        a: array of int = {7, 6, 5}; found := "";
        when (x: each int; ?{ static v: array of int = {7, 1, 5, 3}; result a[x] == v[x]; })
          found = found + string(a[x]);
        assert(one == 7 && found == "75");""",
    "there is no negative zero": 'assert(string(-0.0) == "0.0" && string(0.0 * -1.0) == "-0.0");',
    "a composite of integers is a string": """
        n := 65; assert(string({ n, 66 }) == "AB" && !def(string({ -n })));
        assert(string({ 1, 2.0 }) == "{ 1, 2.0 }"); s: string = { 1, "a", { 'b' } };
        assert(s == `{ 1, "a", { 98 } }`);""",
    "a type with all that is in it": """
        type T = { x: int = 4 @ 1, y: array of string @ 3: string, static k := 3,
                   type U = { f: float } };
        t: T = B""; u: T.U = { 1.0 };
        assert(format("%T %#T", t, t) == "T {x: int = 4 @ 1, y: array of string @ 3: string, " +
               "static k: int = 3, type U = {f: float}}");
        assert(format("%T %#T", u, u) == "T.U {f: float}");""",
    "a table goes where static values say": """
        static where := "/dev/stdout"; t: table collection of i: int file("%s", where) format("");
        static f: function() { emit t <- 1; }; f();""",
    "what debuggers ask": """
        a: array of int = {1}; assert(DEBUG("ref", a) == 1 && ___addressof(a) != 0);
        assert(getresourcestats().allocatedmem > 0);""",
}


@pytest.mark.parametrize("case", AGREE)
def test_what_szl_agrees_with(case):
    assert ran(AGREE[case]) == ""
