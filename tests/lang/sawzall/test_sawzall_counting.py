"""Compiled loops count what the usual function counts, and give up where they cannot."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine.run import engine
from anabranch.lang.sawzall import compiled, lower
from anabranch.lang.sawzall.native import loop as counting
from anabranch.lang.sawzall.native import sites
from anabranch.lang.sawzall.native.loop import CountingLoop
from anabranch.lang.sawzall.native.lowering import LoopLowering, lowered
from anabranch.lang.sawzall.parser import read
from anabranch.lang.sawzall.program import program_of
from anabranch.plan.physical import cost
from anabranch.runtime.options import RunOptions
from lang.sawzall.szl import both

SPLIT = "f: array of bytes = splitcsvline(input); "
SIMPLE = [
    SPLIT + "t: table sum[int][string] of int; emit t[int(string(f[1]), 10)][string(f[0])] <- 1;",
    SPLIT + """t: table sum of int; u: table sum[string] of int; n := int(string(f[1]), 10);
        w: string = string(f[2]); if (n > 3 && w != "x") { emit t <- n * 2 - 1; }
        else if (!(n == 1)) emit u[w] <- n / 2 + n % 3; emit t <- -n;""",
    """g: array of string = splitcsvline(input); t: table sum[string] of int;
        if (g[0] == "a" || g[0] == "b") emit t[g[2]] <- int(g[1], 10);""",
    SPLIT + """m: table maximum(2)[bool] of {string, int} weight int; n := int(string(f[1]));
        emit m[n > 2 && f[0] != B"b"] <- {string(f[2]), 7} weight n;
        o: table minimum(1) of bytes weight string; emit o <- f[0] weight string(f[2]);
        u: table unique(3) of string; s: table set(9)["k"] of int; q: table quantile(3) of int;
        w: table sample(2)[string] of bool; p: table top(2) of string weight int;
        if (n < 0) return; emit u <- string(f[2]); emit q <- n; emit w["k"] <- n == 1;
        emit p <- string(f[0]) weight 2; e: table sum[string] of {int, int};
        x := n + 1; if (x > 2) { y := x; x = y * 2; x++; } emit e["all"] <- {x, 1};
        """.replace('["k"] of int', ' of int'),
    """line := string(input); t: table sum[string][int] of int; u: table sum[bool] of int;
        emit t[line[1:$ - 1]][len(line)] <- strfind("1,", line);
        emit u[match("^a", line) || match(",b", line)] <- 1;
        if (def(int(line[2:3]))) emit t["number"][int(line[2:3])] <- 1;""",
    SPLIT + """all_: table sum of int; t: table sum of int; emit all_ <- 1;
        n := int(string(f[1]), 10); if (def(n)) { emit t <- n; if (n > 5) return; }
        w := string(f[2]); if (def(w)) emit all_ <- 100;""",
    """w := sawzall(string(input), `[^,]+`); t: table sum[string] of int; n: table sum[int] of int;
        emit n[len(w)] <- 1; if (len(w) > 2) emit t[w[2]] <- int(w[1]); else emit t["few"] <- 1;
        if (match(`[a-z]{1,2},\\d+`, string(input))) emit t["found"] <- 1;
        x: array of string = saw(w[0], `[a-z]`); if (len(x) > 0) emit t[x[0]] <- 1;""",
    """p := saw(string(input), skip `^[a-z]+,`, `-?[0-9]+`, skip `,`, `\\w+`);
        top: table maximum(2) of string weight int; low: table minimum(3) of int weight int;
        if (len(p) < 2) return; n := int(p[0], 10); emit top <- p[1] weight n;
        emit low <- n weight n * 2;""",
    SPLIT + """n := int(string(f[1]), 10); t: table sum[string][int] of int;
        emit t[format("%03d%%|%-4s|%s", n, string(f[0]), "-" + string(f[2]) + string(n))][1] <- 1;
        emit t["" + format("all")][n] <- 1; u: table top(2) of string weight int;
        emit u <- string(n % 3) + "ü" weight 1;""",
    """w := sawzall(lowercase(string(input)), `[^,]+`); t: table sum[string] of int;
        when (i: each int; def(w[i])) { emit t[w[i]] <- 1; if (len(w[i]) > 3) return;
          if (i == 2) emit t["third " + string(w[i])] <- i; }
        longest: table maximum(2) of string weight int; u: table unique(9) of string;
        for (i: int = 0; i < len(w); i++) {
          if (len(w[i]) > 1) { emit longest <- w[i] weight len(w[i]); continue; }
          emit u <- w[i]; if (i > 1) break; }
        for (i := 0; i < len(w); i++) for (j := 1; j < 3; j++) {
          if (i * j > 3) return; emit t[format("%d", i * j)] <- int(w[0]); }""",
    SPLIT + """n := int(string(f[1]), 10); t: table sum[int] of {int, int};
        for (i := 0; i < 3; i++) { x := i * n; if (x > 4) break; emit t[x] <- {1, i}; }
        line := lowercase(string(input)); p: table top(2)[string] of int weight int;
        q := sawzall(line, `[b-z]+`); when (k: each int; len(q[k]) > 0) emit p[q[k]] <- k weight n;
        """,
]
OTHERS = {
    "for (i := 2; i > 0; i--) emit t <- i;": "this loop",
    "while (true) emit t <- 1;": "this loop",
    "n := 3; for (i := 0; i < n; i++) n = 2;": "a loop whose end changes",
    "w := sawzall(string(f[0]), `a`); when (i: some int; def(w[i])) emit t <- i;": "this 'when'",
    "w := sawzall(string(f[0]), `a`); when (i: each int; def(w[i]) && def(w[i + 1])) emit t <- i;":
        "this index",
    "u: table sum of float; emit u <- 1.0;": "the table 'u'",
    "u: table collection of bytes; emit u <- f[0];": "the table 'u'",
    "emit t <- int(string(f[1]), 16);": "this base",
    "emit t <- len(f);": "'f'",
    "emit stdout <- string(f[0]); emit t <- 1;": "the table 'stdout'",
    "if (match(`a|b`, string(f[0]))) emit t <- 1;": "this regular expression",
    "if (match(`a*a`, string(f[0]))) emit t <- 1;": "this regular expression",
    "w := saw(string(f[0]), `a`, submatch `b`); emit t <- len(w);": "this 'saw'",
    "w := saw(string(f[0]), `a`); emit t <- len(w[2]);": "this index",
    "w := saw(string(f[0]), `a`); x := w; emit t <- 1;": "an array as a whole",
    'u: table sum[string] of int; emit u[format("%x", 1)] <- int(string(f[1]));': "this format",
    "emit t <- 1;": None,
}


def loop_of(text: str):
    program = program_of(text, "p.szl", folds=True)
    found = lowered(read(text, "p.szl", "GMT"), program.tables)
    return program, found


@pytest.mark.parametrize("text", SIMPLE)
def test_simple_programs_are_compiled(text):
    assert isinstance(loop_of(text)[1], LoopLowering)


@pytest.mark.parametrize("text", OTHERS)
def test_other_programs_are_not(text):
    _, found = loop_of(f"{SPLIT} t: table sum of int; {text}")
    assert found.text == (f"{OTHERS[text]} is not compiled" if OTHERS[text] else
                          "it emits nothing of its lines, so there is nothing to compile")


CELLS = st.sampled_from(["a", "b", "x", "1", "22", "-3", " 4 ", "+5", "0", "", "ü", '"q"', "1.5",
                         "007", "\0"])
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=4).map(",".join), min_size=1, max_size=20)
NUMBERED = st.lists(st.tuples(CELLS, st.integers(-9, 9).map(str), CELLS).map(",".join), min_size=1,
                    max_size=30)


def outcome(text: str, path, **options: bool) -> str:
    try:
        return "".join(both(text, (path,), table_output=True, **options))
    except AnabranchError as error:
        return f"{error.what} {error.got}"


@pytest.mark.parametrize("text", SIMPLE)
@settings(max_examples=30, deadline=None,
          suppress_health_check=list(HealthCheck))
@given(lines=st.one_of(LINES, NUMBERED), ignores=st.booleans())
def test_loops_count_what_functions_count(text, lines, ignores, tmp_path_factory, monkeypatch):
    path = tmp_path_factory.mktemp("lines") / "input"
    path.write_text("\n".join(lines))
    usual = outcome(text, path, ignore_undefs=ignores)
    with monkeypatch.context() as changed:
        changed.setattr(cost, "BYTES_WORTH_COMPILING", 0)
        assert outcome(text, path, ignore_undefs=ignores) == usual


@pytest.mark.parametrize("workers", [1, 2])
def test_engines_agree(workers, tmp_path, monkeypatch):
    path = tmp_path / "input"
    path.write_text("".join(f"{'ab'[i % 2]},{i % 50},w{i % 7}\n" for i in range(5000)))
    usual = both(SIMPLE[1], (path,), table_output=True)
    monkeypatch.setattr(cost, "BYTES_WORTH_COMPILING", 0)
    monkeypatch.setattr(lower, "FOLDED", 4096)
    assert both(SIMPLE[1], (path,), table_output=True, engine="multicore", workers=workers) == usual


def test_many_keys_and_texts_that_only_differ_as_bytes(tmp_path, monkeypatch):
    path = tmp_path / "input"
    lines = [f"w{i % 3000},{i},x" for i in range(9000)]
    path.write_bytes("\n".join(lines).encode() + b"\n\xff,1,\n\xfe,1,\n\xc3\xbc,1,\n")
    usual = outcome(SIMPLE[0], path)
    assert "t[1, \ufffd] = 2\n" in usual and len(usual.splitlines()) == 9002
    monkeypatch.setattr(cost, "BYTES_WORTH_COMPILING", 0)
    assert outcome(SIMPLE[0], path) == usual
    monkeypatch.setattr(counting, "FULL", 100)
    assert outcome(SIMPLE[0], path) == usual


def test_only_what_may_be_kept_is_given_on(tmp_path, monkeypatch):
    path = tmp_path / "input"
    path.write_text("".join(f"a,{i * 7919 % 5003},w{i}\n" for i in range(9000)))
    usual = outcome(SIMPLE[7], path)
    monkeypatch.setattr(cost, "BYTES_WORTH_COMPILING", 0)
    monkeypatch.setattr(counting, "FULL", 100)
    assert outcome(SIMPLE[7], path) == usual


@pytest.mark.parametrize("ending", [b"", b"\n", b"\n\n", b"\n\0,1,2"])
def test_lines_that_are_not_simple_are_left_to_the_function(tmp_path, monkeypatch, ending):
    path = tmp_path / "input"
    path.write_bytes(b'a,1,b\n"a",2,"x,y"\nb, +3 ,c\nb,99,"\n' + ending)
    text = SPLIT + "t: table sum of int; emit t <- int(string(f[1]), 10);"
    usual, called = outcome(text, path), []
    monkeypatch.setattr(cost, "BYTES_WORTH_COMPILING", 0)
    run = CountingLoop.run
    monkeypatch.setattr(CountingLoop, "run", lambda self, run_, chunk, main: run(
        self, run_, chunk, _noting(main, called)))
    assert outcome(text, path) == usual
    assert called[:2] == [b'"a",2,"x,y"', b'b,99,"']


def _noting(main, called: list):
    def noting(run, line):
        called.append(line)
        main(run, line)
    return type("Noting", (), {"__call__": staticmethod(noting), "__globals__": main.__globals__})()


def test_a_line_that_emits_too_much_is_left_to_the_function(tmp_path, monkeypatch):
    path = tmp_path / "input"
    path.write_text("a b c d e f g\nh\n\ni j k\n")
    text = "t: table sum[string] of int; w := sawzall(string(input), `[a-z]`);" \
        "when (i: each int; def(w[i])) emit t[w[i]] <- i + 1;"
    expected = outcome(text, path)
    monkeypatch.setattr(cost, "BYTES_WORTH_COMPILING", 0)
    monkeypatch.setattr(sites, "MOST_ASIDE", 3)
    assert outcome(text, path) == expected


@pytest.mark.parametrize("name", ["sequential", "multicore", "spark"])
def test_a_plan_takes_the_loop_where_it_pays_and_says_why_not(name, tmp_path, monkeypatch):
    path = tmp_path / "input"
    path.write_text("a,1\n")

    def told(more: str = "", **options: object) -> tuple[str, str]:
        text = SPLIT + "t: table sum of int; emit t <- int(string(f[1]), 10);" + more
        graph = compiled(text, "p.szl", (str(path),), table_output=True)
        stages = engine(name).execution(compile_graph(graph), RunOptions(**options)).stages
        [stage] = [stage for stage in stages if "program" in stage.operators]
        return stage.tier, stage.reason.text if stage.reason else ""
    assert told() == ("rows", "there is too little to read to be worth compiling")
    assert told("while (true) emit t <- 1;") == ("rows", "this loop is not compiled")
    monkeypatch.setattr(cost, "BYTES_WORTH_COMPILING", 0)
    assert told() == ("native", "")
    if name == "multicore":
        assert told(tune={"kernels": "never"}) == ("rows", "kernels are not wanted")
