"""The same output, byte for byte, on every engine."""

from __future__ import annotations

import os

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anabranch.cli import commands
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.engine.run import execute
from anabranch.explain import explain
from anabranch.io.text import places
from anabranch.lang.sawzall import compiled, lower
from anabranch.runtime.options import RunOptions
from lang.sawzall.szl import both

ANALYSIS = """
    fields: array of bytes = splitcsvline(input);
    word := string(fields[0]); n := int(string(fields[1]), 10);
    count: table sum[word: string] of int; most: table maximum(3) of string weight n: int;
    every: table collection[odd: bool] of string;
    tops: table top(2)[even: bool] of string weight int; mean: table sum of {int, float};
    seen: table unique(50) of string; half: table quantile(3) of int;
    some_: table sample(4) of int; few: table set(5) of string;
    emit count[word] <- 1; emit most <- word weight n; emit every[n % 2 == 1] <- word;
    emit tops[n % 2 == 0] <- word weight n; emit mean <- {1, float(n) / 7.0}; emit seen <- word;
    emit half <- n; emit some_ <- n; emit few <- word[0:1];
    kinds: table distinctsample(9) of string weight int; emit kinds <- word weight n;
    shares: table inversehistogram(9) of string weight int; emit shares <- word weight 1;
    heavy: table weightedsample(4) of string weight float; emit heavy <- word weight float(n);
    drawn: table bootstrapsum(3) of int weight fingerprint;
    emit drawn <- n weight fingerprintof(word); emit drawn <- n weight 0P;
    if (n % 5 == 0) emit stdout <- format("%s %d %g", word, n, rand());
"""
ENGINES = [("sequential", None), ("multicore", 1), ("multicore", 2)]


@pytest.fixture
def words(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "SIZE", 64)
    monkeypatch.setattr(lower, "FOLDED", 64)
    path = tmp_path / "words.csv"
    path.write_text("".join(f"{'abcde'[i * i % 5]}{i % 7},{i * 37 % 101}\n" for i in range(300)))
    return path


@pytest.mark.parametrize("tables", [False, True])
def test_engines_agree(words, tables):
    expected, *others = [both(ANALYSIS, (words,), engine=engine, workers=workers,
                              table_output=tables) for engine, workers in ENGINES]
    assert len(expected[0].splitlines()) > 50
    assert all(other == expected for other in others)


def test_tables_are_the_same_however_the_lines_are_cut(words, monkeypatch):
    assert len(list(places.LineBlocks((str(words),), size=lower.FOLDED).items(None))) > 20
    cut = both(ANALYSIS, (words,), table_output=True)
    monkeypatch.setattr(lower, "FOLDED", 1 << 18)
    assert both(ANALYSIS, (words,), table_output=True) == cut


@pytest.mark.parametrize("engine, workers", ENGINES)
def test_what_was_printed_before_a_failure_stays(words, engine, workers, capsys):
    text = """n := int(string(splitcsvline(input)[1]), 10); emit stdout <- string(n);
              assert(n != 45, "not this");"""
    graph = compile_graph(compiled(text, "p.szl", (str(words),)))
    with pytest.raises(AnabranchError) as failed:
        execute(graph, RunOptions(engine=engine, workers=workers))
    numbers = capsys.readouterr().out.split()
    assert numbers[-1] == "45" and numbers.count("45") == 1
    assert "assertion failed: not this" in str(failed.value)
    assert f"record {len(numbers) - 1} of" in failed.value.got


@settings(max_examples=15, deadline=None,
          suppress_health_check=list(HealthCheck))
@given(lines=st.lists(st.binary(max_size=8).filter(lambda b: b"\n" not in b), max_size=40),
       size=st.integers(1, 50))
def test_any_lines_in_chunks_of_any_size(lines, size, tmp_path_factory):
    path = tmp_path_factory.mktemp("lines") / "input"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    before, places.SIZE = places.SIZE, size
    try:
        out = both("c: table collection of bytes; emit c <- input;", (path,))[0]
    finally:
        places.SIZE = before
    shown = [", ".join(str(b - 256 if b > 127 else b) for b in line) for line in lines]
    assert out == "".join(f"emit c <- bytes({{{line}}});\n" for line in shown)


def test_the_plan_needs_no_order_for_commutative_tables():
    text = "t: table sum of int; emit t <- 1;"
    graph = compiled(text, "p.szl", table_output=True)
    [reduce] = [op for op in graph if op.name == "reduce"]
    assert reduce.kind.by == ("table",)
    plan = explain(compile_graph(graph))
    assert "shuffle (hash(table))" in plan and "apply, in any order" in plan
    assert "collect" not in plan
    text += "c: table collection of int; emit c <- 1;"
    [collect] = [op for op in compiled(text, "p.szl", table_output=True) if op.name == "collect"]
    assert not collect.annotation("Commutative")


@pytest.mark.parametrize("engine, workers", ENGINES)
def test_files_of_tables(words, tmp_path, engine, workers):
    text = f"""cells := splitcsvline(input);
        by: table collection[word: string] of n: string file("{tmp_path}/%s.txt", word)
            format("%s\\n", n);
        raw: table collection of bytes file("{tmp_path}/raw");
        if (cells[0] == B"a0") {{ emit by["a0"] <- string(cells[1]); emit raw <- X"ff00"; }}"""
    expected = [line.split(",")[1] for line in words.read_text().splitlines() if line[:2] == "a0"]
    assert both(text, (words,), engine=engine, workers=workers) == ("", "")
    assert (tmp_path / "a0.txt").read_text().split() == expected
    assert (tmp_path / "raw").read_bytes() == b"\xff\0" * len(expected)


@pytest.mark.parametrize("engine, workers", ENGINES)
def test_commands_of_tables(words, capfd, engine, workers):
    text = """t: table collection[k: string] of s: string proc("sort -u | sed s/^/%s:/", k)
            format("%s\\n", s);
        w := string(splitcsvline(input)[0]); emit t[w[0:1]] <- w; """
    assert both(text, (words,), engine=engine, workers=workers) == ("", "")
    groups = {line[0] for line in words.read_text().splitlines()}
    assert {line[:3] for line in capfd.readouterr().out.splitlines()} == {
        f"{letter}:{letter}" for letter in groups}
    with pytest.raises(AnabranchError, match="no"):
        both(text + 'assert(w != "e2", "no");', (words,), engine=engine, workers=workers)
    assert capfd.readouterr().out == ""
    with pytest.raises(AnabranchError, match="'exit 3' ended with 3"):
        both('t: table collection of bytes proc("exit 3"); emit t <- B"a";')


@pytest.mark.parametrize("place, key", [
    ('proc("cat; echo %s", k)', "x; touch pwned"), ('proc("cat; echo %s", k)', "$(touch pwned)"),
    ('proc("cat; echo \'%s\'", k)', "'; touch pwned; '"), ('proc("sort %s", k)', "-opwned"),
    ('file("%s", k)', "../pwned"), ('file("%s", k)', ".pwned"), ('file("%s", c)', "sub/pwned"),
])
def test_values_of_the_input_are_no_commands_and_no_paths(tmp_path, monkeypatch, place, key):
    monkeypatch.chdir(tmp_path)
    lines = tmp_path / "lines"
    lines.write_text(f"{key}\n")
    text = f"""c: string = string(input);
        t: table collection[k: string] of s: string {place} format("%s", s); emit t[c] <- "x";"""
    with pytest.raises(AnabranchError, match="a value from the input cannot be a part of"):
        both(text, (lines,))
    assert os.listdir() == ["lines"]


@pytest.mark.parametrize("place", ["proc(c)", 'file("%s" + c)', 'proc("echo %c", 59)'])
def test_where_a_table_goes_is_written_down_in_the_program(place):
    with pytest.raises(ProgramError, match=r"a place has no|says where a table goes"):
        both(f'c: string = "a"; t: table collection of s: string {place} format("%s", s);')


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_text_in_a_file_in_place_of_standard_output(words, tmp_path, engine):
    program = tmp_path / "p.szl"
    program.write_text(ANALYSIS)
    expected, _ = both(ANALYSIS, (words,), table_output=True)
    arguments = ["run", str(program), str(words), "--table-output", "--engine", engine]
    for name in ("table_output", "stdout"):
        arguments += ["--output", f"{name}={tmp_path / name}.txt"]
    done = CliRunner().invoke(commands, arguments)
    assert (done.exit_code, done.stdout) == (0, "")
    texts = [(tmp_path / f"{name}.txt").read_text() for name in ("stdout", "table_output")]
    assert sorted("".join(texts).splitlines()) == sorted(expected.splitlines())
    assert texts[1].startswith("count[") and "[" not in texts[0]


def test_what_the_graph_claims_holds(words, tmp_path):
    program = tmp_path / "p.szl"
    program.write_text(ANALYSIS)
    done = CliRunner().invoke(commands, ["check", str(program), str(words), "--table-output"])
    assert done.exit_code == 0, done.stderr
    assert "commutative, sorted" in done.stdout and "none broken" in done.stdout
