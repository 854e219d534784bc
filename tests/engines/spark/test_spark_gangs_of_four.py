"""Gangs of four barrier tasks, in a session of their own, give the sequential sequence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

# A group of its own: the session here has four slots, that of the other tests has two.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark gangs of four")]

PROGRAM = """
    import json

    import anabranch as ab
    from anabranch.engine import spark
    from anabranch.engine.spark.session.context import spark_context
    from anabranch.engine.spark.gang import planner as planning
    from sync.test_sync_multicore import Value, in_sequence, outputs, plan_of, values, window_sum

    class Page(ab.State):
        info: int = 0

    @ab.synchronized(by="value", tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b))
    def joined(page: Page, e: Value):
        if e.ts == FAILS:
            raise ValueError("this one")
        if e.kind == "barrier":
            page.info = e.ts
        yield Value(e.ts, e.kind, page.info + e.value)

    FAILS = -1
    joined.fork(lambda page, left, right: (Page(page.info), Page(page.info)))
    joined.join(lambda one, other: one)

    def views(count, pages):
        return [Value(n, "barrier" if n % 30 == 29 else "value", n % pages if n % 9 == 0 else 7)
                for n in range(count)]

    gangs, found = [], planning.Planner._gang

    def noted(self, *given):
        gangs.append(found(self, *given))
        return gangs[-1]
    planning.Planner._gang = noted

    def told(plan, events):
        gangs.clear()
        run = lambda *given: spark.run(*given, tune={"slice_size": 60, "gangs": "always"})
        same = outputs(run, plan, events) == outputs(in_sequence, plan, events)
        return [same, *(gang and gang.tasks for gang in gangs)]

    def results():
        for bad in (None, 301):
            events = values(600, bad)
            yield told(plan_of(ab.from_iterable(events, Value).apply(window_sum())), events)
        events = views(600, 50)
        plan = plan_of(ab.from_iterable(events, Value).map(lambda v: v).apply(joined))
        yield told(plan, events)
        globals()["FAILS"] = 400
        yield told(plan, events)
        globals()["FAILS"] = -1
        evenly = [event._replace(value=event.ts % 50) for event in events]
        yield told(plan, evenly)

    with spark_context("local[4]"):
        print(json.dumps(list(results())))
"""
TESTS = Path(__file__).resolve().parents[2]


def test_sums_and_hot_keys_and_failures(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          timeout=300, env=os.environ | {"PYTHONPATH": paths})
    assert done.returncode == 0, done.stderr[-3000:]
    sums, failing, pages, failing_page, evenly = json.loads(done.stdout.splitlines()[-1])
    assert sums == failing == pages == [True, 4]
    assert failing_page[0] and failing_page[1] == 4
    # Where no key comes often, keys go by their buckets.
    assert evenly == [True, None]
