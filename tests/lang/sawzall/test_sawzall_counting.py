"""Compiled loops count what the usual function counts, and give up where they cannot."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anabranch.errors import AnabranchError
from anabranch.lang.sawzall import fast
from anabranch.lang.sawzall.fast.counting import counting
from anabranch.lang.sawzall.fast.lowering import lowered
from anabranch.lang.sawzall.program import program_of
from anabranch.lang.sawzall.reading import read
from anabranch.plan import Reason
from lang.sawzall.szl import both

SPLIT = "f: array of bytes = splitcsvline(input); "
SIMPLE = [
    SPLIT + "t: table sum[int][string] of int; emit t[int(string(f[1]), 10)][string(f[0])] <- 1;",
    SPLIT + """t: table sum of int; u: table sum[string] of int; n := int(string(f[1]), 10);
        w: string = string(f[2]); if (n > 3 && w != "x") { emit t <- n * 2 - 1; }
        else if (!(n == 1)) emit u[w] <- n / 2 + n % 3; emit t <- -n;""",
    """g: array of string = splitcsvline(input); t: table sum[string] of int;
        if (g[0] == "a" || g[0] == "b") emit t[g[2]] <- int(g[1], 10);""",
]
OTHERS = [
    SPLIT + "t: table sum of int; for (i := 0; i < 2; i++) emit t <- i;",
    SPLIT + "t: table sum of float; emit t <- 1.0;",
    SPLIT + "t: table top(3) of bytes weight int; emit t <- f[0] weight 1;",
    SPLIT + "t: table sum of int; emit t <- int(string(f[1]));",
    SPLIT + "t: table sum of int; emit t <- len(f);",
    SPLIT + "t: table sum of int; emit stdout <- string(f[0]); emit t <- 1;",
    SPLIT + "t: table sum[bytes] of int; emit t[f[0]] <- 1;",
    "t: table sum of int; emit t <- 1;",
]


def loop_of(text: str):
    program = program_of(text, "p.szl", folds=True)
    found = lowered(read(text, "p.szl", "GMT"), program.tables)
    return found if isinstance(found, Reason) else counting(found)


@pytest.mark.parametrize("text", SIMPLE)
def test_simple_programs_are_compiled(text):
    assert loop_of(text).sums(b"a,1,b\nb, 2 ,x\n,3,") is not None
    for odd in (b"", b"a,x,b", b"a", b'a,"1",b', b"a,1,\0", b"a,99999999999999999999,b"):
        assert loop_of(text).sums(odd) is None


@pytest.mark.parametrize("text", OTHERS)
def test_other_programs_are_not(text):
    assert isinstance(loop_of(text), Reason)


CELLS = st.sampled_from(["a", "b", "x", "1", "22", "-3", " 4 ", "+5", "0", "", "ü", '"q"', "1.5"])
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=4).map(",".join), min_size=1, max_size=20)
NUMBERED = st.lists(st.tuples(CELLS, st.integers(-9, 9).map(str), CELLS).map(",".join), min_size=1,
                    max_size=30)


def outcome(text: str, path) -> str:
    try:
        return both(text, (path,), table_output=True)[0]
    except AnabranchError as error:
        return f"{error.what} {error.got}"


@pytest.mark.parametrize("text", SIMPLE)
@settings(max_examples=30, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.one_of(LINES, NUMBERED))
def test_loops_count_what_functions_count(text, lines, tmp_path_factory, monkeypatch):
    path = tmp_path_factory.mktemp("lines") / "input"
    path.write_text("\n".join(lines))
    usual = outcome(text, path)
    with monkeypatch.context() as changed:
        changed.setattr(fast, "SMALLEST", 0)
        assert outcome(text, path) == usual


@pytest.mark.parametrize("workers", [1, 2])
def test_engines_agree(workers, tmp_path, monkeypatch):
    path = tmp_path / "input"
    path.write_text("".join(f"{'ab'[i % 2]},{i % 50},w{i % 7}\n" for i in range(5000)))
    usual = both(SIMPLE[1], (path,), table_output=True)
    monkeypatch.setattr(fast, "SMALLEST", 0)
    monkeypatch.setattr(fast, "CHUNK", 4096)
    assert both(SIMPLE[1], (path,), table_output=True, engine="multicore", workers=workers) == usual


def test_many_keys_and_texts_that_only_differ_as_bytes():
    loop, lines = loop_of(SIMPLE[0]), [f"w{i % 3000},{i},x" for i in range(9000)]
    [sums] = loop.sums("\n".join(lines).encode()).values()
    assert sums == {(i, f"w{i % 3000}"): 1 for i in range(9000)}
    [sums] = loop.sums(b"\xff,1,\n\xfe,1,\n\xc3\xbc,1,").values()
    assert sums == {(1, "\ufffd"): 2, (1, "ü"): 1}
