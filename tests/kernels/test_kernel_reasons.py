"""Why a stage is not native, at the user's line; and the tuple at which a function raises."""

from __future__ import annotations

import random
import re

import pytest

import anabranch as ab
from anabranch.batch.record_batch import batch_of
from anabranch.core.errors import RunError
from anabranch.kernels.native import cache
from kernels.tiers import Program


class Line(ab.Record):
    n: int
    s: str


class Whole(ab.State):
    total: float = 0


class Listed(ab.State):
    seen: list = []


counter = 0


def counting(t):
    return t.n + counter


def count():
    global counter
    counter += 1


@ab.operator(by="n")
def whole(state: Whole, t: Line):
    state.total += t.n
    yield t


@ab.operator(by="n")
def listed(state: Listed, t: Line):
    state.seen.append(t.n)
    yield t


class Total(ab.State):
    n: int = 0


@ab.operator(by="s")
def aliased(state: Total, t: Line):
    same = state
    same.n += 1
    yield t.replace(n=state.n)


@ab.operator(by="s")
def exposed(state: Total, t: Line):
    yield state
    state.n += t.n


class Last(ab.State):
    line: str = ""


@ab.operator(by="n")
def remembered(state: Last, t: Line):
    yield t.replace(s=state.line)
    state.line = f"{t.s}: {t.n}"


CALLS = []


def remembering(text):
    CALLS.append(text)
    return len(text)


def slow(text):
    return sum(ord(c) for c in text for _ in range(100))


CASES = {
    "uses sum": lambda s: s.map(lambda t: slow(t.s), to=int),
    "uses CALLS.append": lambda s: s.map(lambda t: remembering(t.s), to=int),
    "uses random.random": lambda s: s.filter(lambda t: random.random() >= 0 * len(t.s)),
    "uses re.sub": lambda s: s.filter(lambda t: re.sub("a", "b", t.s, count=t.n) != ""),
    "uses round": lambda s: s.map(lambda t: round(t.n, -1), to=int),
    "'counter' may change": lambda s: s.map(counting),
    "is float and starts as 0": lambda s: s.apply(whole),
    "is str and is given a text put together": lambda s: s.apply(remembered),
    "the state Listed.seen is": lambda s: s.apply(listed),
    "is of one type or another": lambda s: s.map(lambda t: (1 if t.n else 0.5) * 2, to=float),
    "uses state": lambda s: s.apply(aliased),
    "exposed uses state": lambda s: s.apply(exposed).map(lambda state: state.n, to=int),
    "computes max() of a record": lambda s: s.aggregate(ab.tumbling(count=2), ns=ab.max()),
}


@pytest.mark.parametrize("reason", CASES)
def test_the_reason_for_rows(reason):
    program = Program(CASES[reason](ab.from_iterable([], Line)))
    kernel = program.kernel
    assert kernel.tier == "rows"
    assert reason in kernel.reason.text
    assert kernel.reason.span is not None
    program.check([Line(1, "aa"), Line(0, "b"), Line(1, "")])


def test_the_reason_names_the_line():
    program = Program(CASES["uses re.sub"](ab.from_iterable([], Line)))
    assert program.kernel.reason.text.endswith(f"at line {program.kernel.reason.span.line}")
    assert "re.sub" in program.kernel.reason.span.text


def test_a_failing_function_is_reported_with_its_tuple():
    program = Program(ab.from_iterable([], Line).map(lambda t: 100 // t.n, name="share"))
    assert program.kernel.tier == "native"
    batch = batch_of([Line(5, "x"), Line(0, "y"), Line(2, "z")], program.input_type)
    with pytest.raises(RunError) as raised:
        program.kernel.run(program.kernel.start(), batch)
    assert raised.value.what.startswith("share raised ZeroDivisionError while handling a tuple")
    assert raised.value.got == "Line(n=0, s='y')"


def test_final_outputs_of_partitions_merge_by_their_order():
    program = Program(ab.from_iterable([], Line).aggregate(
        ab.tumbling(count=10), by="s", n=ab.sum("n")))
    lines = [Line(n, "abcde"[n * 3 % 5]) for n in range(9)]
    merged = []
    for part in ("ace", "bd"):
        state = program.kernel.start()
        chosen = [n for n, line in enumerate(lines) if line.s in part]
        for stamp in chosen:
            program.kernel.run(state, batch_of([lines[stamp]], program.input_type), stamp)
        batch, order = program.kernel.finish(state)
        merged += zip(order.tolist(), batch.to_pylist())
    whole = program.kernel.start()
    program.kernel.run(whole, batch_of(lines, program.input_type), 0)
    assert [row for _, row in sorted(merged, key=lambda p: p[0])] == (
        program.kernel.finish(whole)[0].to_pylist())


def test_code_is_cached_only_where_no_one_else_can_write(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.folder.cache_clear()
    assert cache.folder() == tmp_path / "anabranch" / "kernels"
    for shared in (tmp_path / "anabranch" / "kernels", tmp_path / "anabranch"):
        shared.chmod(0o777)
        cache.folder.cache_clear()
        assert tmp_path not in cache.folder().parents
        assert cache.folder().stat().st_mode & 0o077 == 0
        shared.chmod(0o700)
    cache.folder.cache_clear()
