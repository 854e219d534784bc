"""What is explained is what runs: what `explain` says of a plan and these options is what the run
records (stages, tiers and their reasons, who serves, order, reading and writing), in the same
words, for every case, every example, degree and tier. Where the plan names an alternative, the run
says which it was."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.engine.run import execute, explained
from anabranch.plan.physical.ends import NOT_PLAIN
from anabranch.runtime.options import RunOptions
from applications.language_examples import DATA, INPUTS
from applications.programs import EXAMPLES
from interpreting import kernels_in_python
from program_cases import CASES

TUNES = {
    "as it pays": {}, "compiled": {"kernels": "always"},
    "threads": {"kernels": "never", "processes": "never"},
    "processes": {"kernels": "never", "processes": "always"},
    "buckets": {"kernels": "always", "kernel_buckets": "3", "processes": "never"}}
LATER, MEANWHILE = "unless they take long", "row by row until its kernel is ready"
PLACE, THREADS = " where that pays, else by threads", "processes where that pays, else by threads"
STAYS = "processes, what cannot travel by threads"
PLAN = "in one place, or by the workers of a synchronization plan where that pays"


def differences(plan, options: RunOptions, odd: bool = False) -> list[tuple]:
    """What was told before a run, and what was told of it where that is not the same. What is read
    may be `odd`."""
    told, report = explained(plan, options), execute(plan, options)
    stages = {stage.operators: stage for stage in told.stages}
    done = {stage.operators: stage for stage in report.told_stages() if stage.tier}
    found = [(stages[name], done[name]) for name in stages.keys() & done.keys()
             if not _same(stages[name], done[name], options)]
    if stages.keys() != done.keys() and report.stages:
        found.append((stages.keys(), done.keys()))
    if not report.stages and told.tier != report.tier:
        found.append((told.tier, report.tier))
    reads = {name: form if odd else form.removesuffix(f", {NOT_PLAIN} in rows")
             for name, form in told.reads.items()}
    for forms, were, counts in ((reads, report.reads, report.read),
                                (told.writes, report.writes, report.written)):
        found += [(name, form, were.get(name)) for name, form in forms.items()
                  if counts[name] and not _same_form(form, were.get(name, ""))]
    sinks = {name: stage.work for stage in report.stages if not stage.tier
             for name in stage.operators if name in told.writes}
    return found + [(name, work) for name, work in sinks.items()
                    if (work == "as work finishes") != (name in told.unordered)]


def _same(told, done, options: RunOptions) -> bool:
    reason = told.reason.text if told.reason else ""
    if done.rows_in == 0:
        return True
    if done.work not in _alternatives(told.work):
        return False
    if (told.tier, reason) == (done.tier, done.reason):
        return True
    if told.tier == "rows":
        return LATER in reason and done.tier == "native"
    # Kernels that are interpreted need no time, but some make what fits into no column.
    interpreted = (options.tune or {}).get("kernels") == "always"
    return done.tier == "rows" and done.reason != "" and (
        MEANWHILE in told.arrival or (interpreted and told.tier == "native"))


def _alternatives(work: str) -> set[str]:
    """What a run may say where the plan says this."""
    if STAYS in work:
        return {work, work.replace(STAYS, "threads")}
    return {work.replace(PLACE, ""), work.replace(THREADS, "threads"),
            work.replace(THREADS, STAYS)} if PLACE in work else {
        work.replace(PLAN, "in one place"),
        work.replace(PLAN, "by the workers of a synchronization plan")}


def _same_form(told: str, was: str) -> bool:
    """Rows are what a form may turn into only if it says so."""
    form, named, _ = told.partition(", ")
    return was == told or (bool(named) and (was in (form, "rows") or was.startswith(f"{form}, ")))


@pytest.fixture
def interpreted():
    """Kernels are not compiled but run by Python: compiling each would take seconds."""
    with kernels_in_python():
        yield


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("tune", TUNES)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases(case, workers, tune):
    out = []
    plan = compile_graph(case.build().collect_into(out).graph())
    assert differences(plan, RunOptions("multicore", workers, tune=TUNES[tune])) == []
    assert out == case.expected


class Reading(ab.Record):
    at: int
    value: float


def readings(path, **options):
    """As Python writes them, and then one in another way."""
    rows = "".join(f"{at},{at / 2}\n" for at in range(100)) + "100,nan\n"
    path.write_text("at,value\n" + rows)
    return ab.read_csv(path, Reading, **options)


ENDS = [RunOptions("sequential"), RunOptions("multicore", 2),
        RunOptions("multicore", 2, tune={"one_loop": "never", "kernels": "never"}),
        RunOptions("multicore", 2, tune={"kernels": "always"})]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("options", ENDS, ids=range(len(ENDS)))
def test_rows_that_are_not_plain_are_an_alternative(options, tmp_path):
    stream = readings(tmp_path / "in.csv").filter(lambda r: r.at > 1)
    plan = compile_graph(stream.write_csv(tmp_path / "out.csv").graph())
    assert differences(plan, options, odd=True) == [] != differences(plan, options)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("options", ENDS, ids=range(len(ENDS)))
def test_sources_are_merged_by_their_times_in_rows_where_one_is(options, tmp_path):
    """What has no columns keeps the others from being merged in columns."""
    items = ab.from_iterable([Reading(3, 1.0), Reading(70, 2.0)], Reading, time="at")
    merged = readings(tmp_path / "in.csv", time="at").union(items, on="at")
    plan = compile_graph(merged.write_csv(tmp_path / "out.csv").graph())
    assert differences(plan, options) == []
    told = explained(plan, options)
    assert told.reads["in"] == "rows"
    assert {stage.tier for stage in told.stages if stage.operators == ("union",)} <= {"rows"}


# The command `make demo`, and what is part of other programs.
NO_PROGRAMS = ("demo.py", "market_maker.py", "shop.py", "test_balances.py")
PROGRAMS = {str(path.relative_to(EXAMPLES)): path for path in sorted(EXAMPLES.rglob("*"))
            if path.suffix in (".py", ".river", ".cql", ".szl", ".str", ".spl")
            and path.name not in NO_PROGRAMS}
WAYS = {"sequential": RunOptions("sequential"), "one worker": RunOptions("multicore", 1),
        "two workers": RunOptions("multicore", 2),
        **{f"two workers, {tune}": RunOptions("multicore", 2, tune=TUNES[tune])
           for tune in ("compiled", "processes")}}


def example(name: str, tmp_path, options: RunOptions):
    """The plan of an example, and the options by which it reads the data beside it."""
    path, log = PROGRAMS[name], tmp_path / "log.csv"
    log.write_text("".join(f"s,{n % 3},{n % 4},1,2\n" for n in range(40)))
    own = {".str": {"iterations": 3}, ".szl": {"files": (str(log),), "table_output": True}}
    plan = compile_graph(load(path, {}, own.get(path.suffix)))
    pairs = [text.partition("=") for text in INPUTS.get(path.name, ())]
    inputs = {name: str(DATA / f"{file or name}.csv") for name, _, file in pairs}
    inputs |= {op.name: str(log) for op in plan.program.sources
               if op.kind.spec is None and op.name not in inputs}
    return plan, inputs


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_examples(name, way, tmp_path, capfd):
    """To files, and to where they write by themselves; the beginning, and as their language runs
    them, for which there is no limit."""
    plan, inputs = example(name, tmp_path, WAYS[way])
    outputs = {op.name: str(tmp_path / f"{op.name}.jsonl") for op in plan.program.sinks}
    whole = PROGRAMS[name].suffix in (".str", ".cql", ".szl")
    for limit, to in ((200, outputs), (None if whole else 40, {})):
        options = WAYS[way]
        given = RunOptions(options.engine, options.workers, inputs=inputs, outputs=to,
                           limit=limit, tune=options.tune)
        assert differences(plan, given) == []
