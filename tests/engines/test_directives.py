"""`@Fuse`, `@Parallel` and `@Group` are obeyed by the engines, or refused at the user's line."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.engine import multicore
from anabranch.engine.directives import check_on_spark
from anabranch.engine.run import execute, explained
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.stages import Sharing
from anabranch.runtime.options import RunOptions
from interpreting import kernels_in_python

TUNE = {"kernels": "always", "processes": "never"}


class Item(ab.Record):
    k: int
    v: int


class Sum(ab.State):
    total: int = 0


@pytest.fixture(autouse=True)
def interpreted():
    with kernels_in_python():
        yield


def numbers(count: int = 30) -> ab.Stream:
    return ab.from_iterable([Item(n % 3, n) for n in range(count)], Item)


def physical(stream: ab.Stream) -> MulticorePlan:
    return multicore.multicore_plan(compile_graph(stream.graph()), multicore.tuning_of(2, **TUNE))


def stages(stream: ab.Stream) -> list[tuple[str, ...]]:
    return [tuple(op.name for op in stage.operators) for stage in physical(stream).stages[:-1]]


def seen(notes: dict, item: Item) -> Item:
    return item.replace(v=item.v + len(notes))


def two_steps(**declared) -> ab.Stream:
    """One has a kernel and the other has none: they are two stages."""
    notes: dict = {}

    @ab.operator(state="stateless", **declared)
    def plain(t: Item):
        yield seen(notes, t)

    @ab.operator(**declared)
    def quick(t: Item):
        yield t.replace(v=t.v * 2)
    return numbers().apply(plain).apply(quick)


def test_what_is_fused_is_one_stage():
    assert stages(two_steps()) == [("plain",), ("quick",)]
    fused = two_steps(fuse=1)
    assert stages(fused) == [("plain", "quick")]
    assert fused.collect(engine="multicore", workers=2, tune=TUNE) == fused.collect()
    [told] = explained(compile_graph(fused.graph()), RunOptions("multicore", 2, tune=TUNE)).stages
    assert "fused: plain + quick" in told.arrival
    [told, _] = explained(compile_graph(fused.graph()), RunOptions("spark")).stages
    assert told.operators == ("plain", "quick") and "fused: plain + quick" in told.arrival


RIVER = """
input numbers : Item;
@Fuse(a) (doubled : Item) <- Double(numbers);
@Fuse(a) (counted : Item, $n) <- Count(doubled, $n);
(more : Item, $n) <- More(counted, $n);
output more;
"""
FUNCTIONS = """
import anabranch as ab

class Item(ab.Record):
    k: int
    v: int

n = 0

def Double(item, port):
    return [[item.replace(v=2 * item.v)]], []

def Count(item, port, n):
    return [[item]], [n + 1]

def More(item, port, n):
    return [[item.replace(v=n)]], [n]
"""


def test_fused_operators_stay_in_one_stage_with_what_shares_a_variable(tmp_path):
    (tmp_path / "counting.river").write_text(RIVER)
    (tmp_path / "counting.py").write_text(FUNCTIONS)
    graph = load(tmp_path / "counting.river")
    [stage, _] = multicore.multicore_plan(compile_graph(graph), multicore.tuning_of(2)).stages
    assert [op.name for op in stage.operators] == ["Double", "Count", "More"]
    assert stage.sharing is Sharing.TOGETHER
    (tmp_path / "numbers.jsonl").write_text('{"k": 0, "v": 1}\n' * 5)
    given = {"inputs": {"numbers": str(tmp_path / "numbers.jsonl")}}
    found = []
    for number, engine in enumerate(("sequential", "multicore")):
        out = tmp_path / f"{number}.jsonl"
        execute(compile_graph(graph), RunOptions(engine, outputs={"more": str(out)}, **given))
        found.append(out.read_text())
    assert found[0] == found[1] and found[0].count("\n") == 5


def refusal(stream: ab.Stream, **options) -> str:
    plan = compile_graph(stream.graph())
    with pytest.raises(ab.ProgramError) as told:
        explained(plan, RunOptions("multicore", 2, **options))
    with pytest.raises(ab.ProgramError) as run:
        execute(plan, RunOptions("multicore", 2, **options))
    with pytest.raises(ab.ProgramError) as on_spark:
        check_on_spark(plan, is_local=True)
    assert str(told.value) == str(run.value)
    assert str(told.value).splitlines()[1:] == str(on_spark.value).splitlines()[1:]
    return str(told.value)


def test_what_cannot_be_fused_is_refused():
    @ab.operator(fuse=1)
    def first(t: Item):
        yield t

    @ab.operator(fuse=1)
    def second(t: Item):
        yield t
    told = refusal(numbers().apply(first).map(lambda t: t.replace(v=1)).apply(second))
    assert "first, second cannot be fused, which @Fuse(1) asks for: they are no straight" in told
    assert ".apply(second)" in told


def test_what_was_asked_to_be_parallel_is_no_part_of_one_loop():
    @ab.operator(by="k", parallel=True)
    def wished(state: Sum, t: Item):
        state.total += t.v
        yield t.replace(v=state.total)

    @ab.operator(by="k")
    def running(state: Sum, t: Item):
        state.total += t.v
        yield t.replace(v=state.total)
    odd = numbers(2000).filter(lambda t: t.v % 2 == 1)
    assert stages(odd.apply(running)) == [("filter", "running")]
    plan = physical(odd.apply(wished))
    keyed = next(stage for stage in plan.stages if "wished" in stage)
    assert keyed.sharing is Sharing.BUCKETS
    assert plan.buckets(keyed) > 1
    found = odd.apply(wished).collect(engine="multicore", workers=2, tune=TUNE)
    assert found == odd.apply(running).collect()


def test_what_cannot_be_parallel_is_refused():
    @ab.operator(parallel=True)
    def overall(state: Sum, t: Item):
        state.total += t.v
        yield t.replace(v=state.total)
    told = refusal(numbers().apply(overall))
    assert "overall cannot be parallel, which @Parallel() asks for: state is unpartitioned" in told
    assert "test_directives.py" in told
    assert numbers().apply(overall).collect()[-1].v == 435


def grouped() -> ab.Stream:
    @ab.operator(group="east")
    def first(t: Item):
        yield t.replace(v=t.v + 1)

    @ab.operator(by="k", group="east")
    def second(state: Sum, t: Item):
        state.total += t.v
        yield t.replace(v=state.total)
    return numbers().apply(first).apply(second)


def test_a_group_is_on_one_machine_or_refused():
    assert len(grouped().collect(engine="multicore", workers=2)) == 30
    plan = compile_graph(grouped().graph())
    check_on_spark(plan, is_local=True)
    with pytest.raises(ab.ProgramError) as refused:
        check_on_spark(plan, is_local=False)
    assert ("first and second cannot be kept on one machine, which @Group(east) asks for"
            in str(refused.value))


def test_spark_tells_that_it_keeps_order_that_was_given_up(tmp_path):
    def told(ordered: bool) -> str:
        stream = numbers().apply(counted_by_key)
        stream.write_csv(str(tmp_path / "out.csv"), ordered=ordered)
        return explained(compile_graph(stream.graph()), RunOptions("spark")).stages[-1].arrival
    assert told(ordered=False) == f"{told(ordered=True)}; the sink gave up order, which is kept " \
        "all the same"


@ab.operator(by="k")
def counted_by_key(state: Sum, t: Item):
    state.total += 1
    yield t.replace(v=state.total)
