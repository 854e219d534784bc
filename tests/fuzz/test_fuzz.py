"""The generator of programs and its runs: the same from the same seed, and they find mistakes."""

from __future__ import annotations

import ast
import io
import random
import re
from collections import Counter
from types import SimpleNamespace

import pytest
from pyarrow import parquet

import fuzz
from fuzz import __main__ as command
from fuzz import kills
from fuzz.engines import CONFIGURATIONS, configurations, differences
from fuzz.hidden import HIDDEN
from fuzz.inputs import FORMATS
from fuzz.kills import killed
from fuzz.programs import Case, write
from fuzz.shrink import shrunk
from fuzz.user_programs import as_test, reduced

SEEDS = range(24)
"""They are run on every engine, as far as nothing hides in them."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [write(seed) for seed in range(400)]


def test_a_seed_gives_the_same_program(cases):
    assert [write(seed) for seed in range(20)] == cases[:20]
    for case in cases:
        ast.parse(case.source)


def test_programs_have_everything_that_users_write(cases):
    text = "\n".join(case.source for case in cases)
    for word in ("for ", "while ", "try:", "match ", ":=", "lambda ", "yield ", "return\n", 'f"',
                 "@dataclass", "namedtuple", "enum.", "Counter", "defaultdict", "deque", "Decimal",
                 ".at_end", ".aggregate(", ".join(", ".union(", ".split(", "ab.barrier(", ".loop(",
                 ".sort(", ".deduplicate(", "read_csv", "read_jsonl", "read_parquet",
                 "from_iterable", "shop.", "by=('k0', 'k1')"):
        assert word in text, word
    assert len({case.hidden for case in cases if case.hidden}) > len(HIDDEN) / 2
    files = b"".join(content for case in cases for content in case.files.values())
    for odd in (b"\xef\xbb\xbf", b"\r\n", b'"ts"', b"NaN", b"-0.0", b"inf", b"PAR1", b'""'):
        assert odd in files, odd


@pytest.mark.parametrize("seed", SEEDS)
def test_engines_agree(seed):
    case = write(seed)
    if case.large or case.hidden:
        case = next(c for c in map(write, range(1000 + 40 * seed, 1040 + 40 * seed))
                    if not (c.large or c.hidden))
    assert [str(each) for each in differences(case, CONFIGURATIONS)] == []


def test_every_path_is_taken():
    paths, wanted = Counter(), {"rows", "native", "columns", "partitioned", "stateless"}
    for seed in range(100, 160):
        case = write(seed)
        if not (case.large or case.hidden or wanted <= set(+paths)):
            assert differences(case, CONFIGURATIONS[6:7], paths) == []
    assert wanted <= set(+paths), paths


COUNTING = '''
import anabranch as ab


SEEN = []


@ab.operator(state="stateless")
def counted(n: int):
    unused = [n, n + 1]
    SEEN.append(n)
    yield len(SEEN)


numbers = ab.from_iterable([1, 2, 3, 4, 5, 6, 7, 8], int)
doubled = numbers.map(lambda n: n * 2 + 1)
doubled.apply(counted).collect_into([], name="out")
'''


def test_a_wrong_fact_is_found():
    """What is declared wins over what is proved."""
    case = Case(0, COUNTING)
    found = differences(case, CONFIGURATIONS[4:6])
    assert len(found) > 0
    title, text = reduced(case, found[0], seconds=0)
    assert title.startswith("seed 0 differs on --engine multicore")
    assert "SEEN.append(n)" in text and "sequential:\nout: [1, 2, 3, 4, 5, 6, 7, 8]\n" in text


def test_a_found_case_is_a_test():
    right = COUNTING.replace('(state="stateless")', "")
    text = as_test(Case(3, right, {"a.csv": b"x\n"}), [], "a title")
    space: dict = {}
    exec(compile(text, "found", "exec"), space)
    space["test_seed_3"]()
    text = as_test(Case(3, right), [], "a title", kills.IMPORTS, "isinstance(killed, object)")
    exec(compile(text, "found", "exec"), space)
    space["test_seed_3"]()


def test_shrinking_keeps_what_fails():
    case = Case(0, "a = 1\nb = [1, 2, 3]\nif a:\n    c = max(7, 8)\n", {"x.csv": b"h\n1\n2\n3\n"})
    small = shrunk(case, lambda tried: "8" in tried.source and b"2" in tried.files["x.csv"], 5)
    assert (small.source, small.files) == ("c = 8", {"x.csv": b"h\n2\n"})
    table = FORMATS["parquet"](random.Random(1), {"n": "int"}, [{"n": n} for n in range(9)])

    def has_seven(tried):
        return 7 in parquet.read_table(io.BytesIO(tried.files["x.parquet"]))["n"].to_pylist()
    small = shrunk(Case(0, "a = 1", {"x.parquet": table}), has_seven, 5).files["x.parquet"]
    assert parquet.read_table(io.BytesIO(small)).to_pylist() == [{"n": 7}]
    joined = re.compile(r"s = f\(.*\n(t = s.*\nu = t|u = s).filter")
    small = shrunk(Case(0, "s = f(1)\nt = s.map(g)\nu = t.filter(h)\n"),
                   lambda tried: joined.search(tried.source) is not None, 5)
    assert small.source == "s = f()\nu = s.filter()"


def test_slow_configurations_are_for_some_programs():
    chosen = Counter(str(each) for seed in range(600) for each in configurations(Case(seed, "")))
    assert 1 <= chosen["--engine spark"] <= 12
    assert chosen["--engine multicore --workers 1"] == 600


WRITING = '''
from pathlib import Path
import anabranch as ab

ab.generate(lambda i: i * i, 600).filter(lambda n: n % 3 == 1).write_jsonl(
    Path(__file__).parent / "out.jsonl")
'''


def test_runs_that_are_ended_from_outside():
    case, ends = Case(0, WRITING), Counter()
    assert killed(case, random.Random(3), ends) == ""
    assert ends.total() == 6 and ends[0] >= 1


def test_findings_are_kept_as_files(monkeypatch, tmp_path, capsys):
    search = SimpleNamespace(main=lambda seconds, seed: [("a title", f"# seed {seed}\n")])
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "OUT", tmp_path / "out")
    monkeypatch.setattr(command, "searches", lambda: {"some": search})
    assert command.run(1.0, 7, []) == 1
    assert (tmp_path / "out" / "test_some_7_0.py").read_text() == "# seed 7\n"
    assert capsys.readouterr().out == (
        "some: 1 s from seed 7\na title\n  --> out/test_some_7_0.py\n")


def test_searches_and_modules_are_listed():
    assert {"user_programs", "properties", "kills"} <= set(command.searches())
    folder = command.ROOT / "tests" / "fuzz"
    for path in folder.glob("*.py"):
        if not path.name.startswith(("test_", "__init__")):
            assert f"    {path.name} " in fuzz.__doc__, path.name
