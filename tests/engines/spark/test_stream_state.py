"""What a stream keeps, without Spark: state in pages, rows that wait, manifests, fingerprints."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.slices import Flow
from anabranch.batch.value_codec import encode
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError, UsageError
from anabranch.engine.spark.job.pieces import LAST
from anabranch.engine.spark.stream import checkpoint
from anabranch.engine.spark.stream import checkpoint as durable
from anabranch.engine.spark.stream import state as states
from anabranch.engine.spark.stream import state as volumes
from anabranch.engine.spark.stream.checkpoint import Chain, Manifest
from anabranch.engine.spark.stream.fingerprint import fingerprint
from anabranch.engine.spark.stream.sources import WaitingRow, WaitingRows
from anabranch.engine.spark.stream.upgrade import noted_of
from anabranch.plan.physical.spark.segments import Stages
from anabranch.plan.physical.spark.tiers import tiers_of
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.stage.kernel import KernelLine
from anabranch.runtime.stage.rounds import Rounds
from anabranch.runtime.stage.rows import Line


class Item(ab.Record):
    k: int
    v: int


class Seen(ab.State):
    total: int = 0
    items: list = []
    pairs: dict = {}


@ab.operator(by="k")
def remember(state: Seen, t: Item):
    state.total += t.v
    state.items = [*state.items, t][-3:]
    state.pairs = {**state.pairs, (t.v, "x"): t}
    yield Item(t.k, state.total + len(state.pairs) + state.items[0].v)


def keyed() -> ab.Stream:
    return ab.from_iterable([], Item).apply(remember).aggregate(
        ab.sliding(count=3, step=2), by="k", n=ab.count(), top=ab.max("v"), all=ab.collect("v"))


@ab.operator(by="k")
def counted(state: Seen, t: Item):
    state.total += 1
    yield Item(t.k, t.v // 2)


def looping() -> ab.Stream:
    def body(items):
        return items, items.filter(lambda t: t.v > 3).apply(counted)
    return ab.from_iterable([], Item).loop(body)


def stage_of(stream: ab.Stream, name: str):
    stages = Stages.of(compile_graph(stream.graph()))
    return stages.graph, next(s for s in stages.before if name in s)


@pytest.fixture
def one_worker(monkeypatch):
    def become(worker: dict) -> None:
        monkeypatch.setattr(states, "_KEPT", worker)
    return become


batches = st.lists(st.lists(st.builds(Item, st.integers(0, 4), st.integers(0, 9)), max_size=8),
                   max_size=8)


@settings(max_examples=60, deadline=None)
@given(batches, st.lists(st.integers(0, 2), min_size=8, max_size=8), st.booleans())
def test_any_worker_goes_on_from_the_pages(items_of, workers, grows):
    """Worker 0 and 1 keep what they have seen; 2 always begins with nothing."""
    graph, stage = stage_of(keyed(), "remember")
    whole, kept = Line(graph, stage.operators, buckets=True), [{}, {}]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        chains, knobs = {}, SparkKnobs(**{"small_pages": 0} if grows else {})
        for number, (items, worker) in enumerate(zip(items_of, workers), 1):
            patch.setattr(states, "_KEPT", kept[worker] if worker < 2 else {})
            saved = states.SavedStates(folder, "run", number, chains, knobs)
            line = saved.opened(stage, 3, lambda: Line(graph, stage.operators, buckets=True))
            flow = Flow(range(len(items)), items)
            assert _outputs(line.run((number, 0), flow)) == _outputs(whole.run((number, 0), flow))
            assert _remembered(line) == _remembered(whole)
            saved.closed(stage, 3, line)
            before, chains = chains, saved.after()
            saved.forget(before, chains)
        kept_files = sum(len(names) for _, _, names in os.walk(folder))
        assert kept_files == sum(len(chain.volumes) for chain in chains.values())


def windows() -> ab.Stream:
    return ab.from_iterable([], Item).aggregate(
        ab.tumbling(count=3), by="k", n=ab.count(), total=ab.sum("v"))


large = st.lists(st.lists(st.builds(Item, st.integers(0, 4), st.integers(0, 9) | st.just(2**70)),
                          max_size=8), max_size=8)


@settings(max_examples=60, deadline=None)
@given(large, st.lists(st.integers(0, 2), min_size=8, max_size=8), st.booleans())
def test_any_worker_goes_on_with_a_kernel_whose_keys_are_told_of_the_end(items_of, workers, grows):
    """Numbers that outgrow 64 bits make it fall back to rows, in one of the workers."""
    graph, stage = stage_of(windows(), "aggregate")
    kernel = tiers_of(graph, Stages.of(compile_graph(windows().graph())).segments, 0)[
        stage.index].kernel
    whole, kept = Line(graph, stage.operators, buckets=True), [{}, {}]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        chains, knobs = {}, SparkKnobs(**{"small_pages": 0} if grows else {})
        for number, (items, worker) in enumerate(zip([*items_of, []], [*workers, 2]), 1):
            patch.setattr(states, "_KEPT", kept[worker] if worker < 2 else {})
            saved = states.SavedStates(folder, "run", number, chains, knobs)
            line = saved.opened(stage, 3, lambda: KernelLine(graph, stage.operators, kernel, True))
            flow = Flow(range(0, 2 * len(items), 2), items)
            assert _outputs(line.run((number, 0), flow)) == _outputs(whole.run((number, 0), flow))
            saved.closed(stage, 3, line)
            chains = saved.after()
        last = (stage.operators[-1].name,)
        assert _outputs(line.finish(LAST, *last)) == _outputs(whole.finish(LAST, *last))


def _remembered(line: Line) -> bytes:
    return encode([([dict(value) for value in values], first) for values, first in line.state()])


def _outputs(outcome) -> list:
    return [(list(flow.rows), list(flow.items)) for flow in outcome.outputs]


def test_operators_that_run_together_are_kept_too(tmp_path, one_worker):
    graph, stage = stage_of(looping(), "loop")

    def make():
        return Rounds(graph, stage, lambda op, item: None, lambda: False)
    alive = make()
    chains: dict = {}
    for number in range(1, 4):
        one_worker({})
        saved = states.SavedStates(str(tmp_path), "run", number, chains)
        rounds = saved.opened(stage, 0, make)
        for item in (Item(1, number), Item(2, 9)):
            for machine in (rounds, alive):
                machine._deliver(machine.graph.operators[0], [(0, item)])
                machine._run()
        values = [dict(cell.value) for cell in rounds.cells.values()]
        assert values == [cell.value for cell in alive.cells.values()]
        assert values[0][2].total == number * 2
        saved.closed(stage, 0, rounds)
        chains = saved.after()


def test_a_batch_that_is_done_again_starts_from_the_version_before_it(tmp_path, one_worker):
    graph, stage = stage_of(keyed(), "remember")
    one_worker({})
    chains: dict = {}
    results = []
    for number in (1, 2, 2, 2):
        saved = states.SavedStates(str(tmp_path), "run", number, chains)
        line = saved.opened(stage, 0, lambda: Line(graph, stage.operators, buckets=True))
        results.append(_outputs(line.run((number, 0), Flow(range(2), [Item(1, 5), Item(1, 6)]))))
        saved.closed(stage, 0, line)
        if number == 1:
            chains = saved.after()
    assert results[1] == results[2] == results[3] != results[0]


def test_a_page_is_small_when_few_keys_are_touched(tmp_path, one_worker):
    graph, stage = stage_of(keyed(), "remember")
    one_worker({})
    chains: dict = {}
    for number, keys in ((1, 5000), (2, 10), (3, 10)):
        saved = states.SavedStates(str(tmp_path), "run", number, chains)
        line = saved.opened(stage, 0, lambda: Line(graph, stage.operators, buckets=True))
        line.run((number, 0), Flow(range(keys), [Item(n, 1) for n in range(keys)]))
        saved.closed(stage, 0, line)
        chains = saved.after()
    chain = chains[stage.index, 0]
    assert [int(volume[:12]) for volume in chain.volumes] == [1, 2, 3]
    assert chain.changes_bytes < chain.whole_bytes / 100


def test_what_cannot_be_saved_is_named(tmp_path, one_worker):
    class Odd(ab.State):
        thing: object = None

    @ab.operator(by="k")
    def odd(state: Odd, t: Item):
        state.thing = object()
        yield t
    graph, stage = stage_of(ab.from_iterable([], Item).apply(odd), "odd")
    one_worker({})
    saved = states.SavedStates(str(tmp_path), "run", 1, {})
    line = saved.opened(stage, 0, lambda: Line(graph, stage.operators, buckets=True))
    line.run((1, 0), Flow(range(1), [Item(1, 1)]))
    with pytest.raises(RunError, match="the state of odd cannot be kept: a value cannot be saved"):
        saved.closed(stage, 0, line)


def test_a_damaged_file_is_noticed(tmp_path):
    path = str(tmp_path / "page")
    durable.put(path, b"state")
    assert durable.got(path) == b"state"
    assert os.stat(path).st_mode & 0o777 == 0o600
    Path(path).write_bytes(Path(path).read_bytes()[:-1] + b"?")
    with pytest.raises(RunError, match="the checkpoint is damaged"):
        durable.got(path)


def test_a_task_that_was_killed_leaves_whole_pages_and_one_that_is_cut(tmp_path):
    path = tmp_path / "volume"
    for bucket, page in enumerate((b"first", b"", b"third")):
        volumes.append(str(path), (1, bucket), bucket == 2, page)
    whole = path.read_bytes()
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        found = volumes.kept(str(path))
        assert [entry.place for entry in found] == [(1, 0), (1, 1), (1, 2)][:len(found)]
        pages = [volumes.page_of(str(path), entry.place) for entry in found]
        assert pages == [b"first", b"", b"third"][:len(found)]
    assert [entry.every for entry in found] == [False, False, True]
    path.write_bytes(whole.replace(b"first", b"fyrst"))
    for place in ((1, 0), (2, 0)):
        with pytest.raises(RunError, match="the checkpoint is damaged"):
            volumes.page_of(str(path), place)


def test_starting_over_removes_nothing_of_others(tmp_path):
    graph, _ = stage_of(keyed(), "remember")

    def opened(start_over):
        with checkpoint.opened(str(tmp_path / "ck"), noted_of(graph, []), 4, start_over) as found:
            return found.id
    (tmp_path / "ck").mkdir()
    (tmp_path / "ck" / "thesis.txt").write_text("years of work")
    os.chmod(tmp_path / "ck", 0o700)
    for start_over in (False, True):
        with pytest.raises(UsageError, match="the folder is no checkpoint, and holds other files"):
            opened(start_over)
    (tmp_path / "ck" / "thesis.txt").rename(tmp_path / "thesis.txt")
    first = opened(False)
    assert opened(False) == first
    assert opened(True) != first
    (tmp_path / "thesis.txt").rename(tmp_path / "ck" / "thesis.txt")
    with pytest.raises(UsageError, match="holds other files"):
        opened(True)
    assert (tmp_path / "ck" / "thesis.txt").exists()


def test_one_run_at_a_time_uses_a_checkpoint(tmp_path):
    graph, _ = stage_of(keyed(), "remember")
    given = (str(tmp_path / "ck"), noted_of(graph, []), 4, False)
    with checkpoint.opened(*given), pytest.raises(UsageError, match="another run uses this"), \
            checkpoint.opened(*given):
        pass


def test_a_manifest_comes_back_as_it_was():
    manifest = Manifest(7, 5, {"a": 2}, {"a": [("/x.csv", 3)]}, {"a": 2.5}, ("b",), 9,
                        {(1, 2): Chain("3-a", 10)}, {"out": ("part-00000.csv",)}, True, True)
    assert Manifest.from_bytes(manifest.to_bytes()) == manifest


times = st.lists(st.integers(0, 6), max_size=8).map(sorted)


@settings(max_examples=100, deadline=None)
@given(times, times, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6))
def test_rows_that_wait_come_in_the_order_of_the_whole(left, right, steps):
    """Whatever arrives when: what goes on is a beginning of the merged whole; at the end, all."""
    stream = ab.from_iterable([], Item, time="v", name="a").union(
        ab.from_iterable([], Item, time="v", name="b"), arrival=True)
    sources = stream.graph().sources
    coming = {"a": [Item(0, t) for t in left], "b": [Item(1, t) for t in right]}
    whole = sorted([*coming["a"], *coming["b"]], key=lambda item: (item.v, item.k))
    waiting, out, taken = WaitingRows(sources, {}, ()), [], {"a": 0, "b": 0}
    for counts in [*steps, (8, 8)]:
        for name, count in zip("ab", counts):
            rows = coming[name][taken[name]:taken[name] + count]
            waiting.add(name, [WaitingRow(item, "f", taken[name] + n)
                               for n, item in enumerate(rows)])
            taken[name] += len(rows)
        gone = waiting.released(all_of_them=counts == (8, 8))
        out += sorted([*gone["a"], *gone["b"]], key=lambda item: (item.v, item.k))
        assert out == whole[:len(out)]
    assert len(out) == len(whole)


LIMIT = 10


def helper(v):
    return v + 1


def test_a_fingerprint_knows_what_functions_use(monkeypatch):
    def build():
        return ab.from_iterable([], Item).filter(lambda t: helper(t.v) > LIMIT).apply(remember)
    def others() -> list[str]:
        return [name for name, lines in fingerprint(build().graph()).items()
                if lines != before[name]]
    before = fingerprint(build().graph())
    assert others() == []
    monkeypatch.setitem(globals(), "LIMIT", 11)
    assert others() == ["filter"] and "LIMIT = 11" in fingerprint(build().graph())["filter"]
    monkeypatch.undo()
    monkeypatch.setitem(globals(), "helper", lambda v: v + 2)
    assert "v + 2" in "\n".join(fingerprint(build().graph())["filter"])
    monkeypatch.undo()
    monkeypatch.setitem(Seen.__record_fields__, "total", 5)
    assert others() == ["remember"]
