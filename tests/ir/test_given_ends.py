"""Sources and sinks of others: those that derive from ours, and those that derive from nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from anabranch import frontend as kit
from anabranch.compile import plan_for
from anabranch.core.errors import ProgramError
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions

WRITTEN: list = []


@dataclass(frozen=True)
class Digits:
    """A source that derives from nothing."""

    type: object = kit.INT

    def items(self, rows):
        return range(10)


class Kept:
    """A sink, and its writer, that derive from nothing."""

    def open(self, item_type):
        self.write = WRITTEN.append
        return self

    def commit(self):
        WRITTEN.append("complete")

    def abort(self):
        pass


class OwnDigits(kit.SourceSpec):
    type, format, shown, replayable = kit.INT, None, "digits", True

    def items(self, rows):
        return range(10)


class OwnKept(kit.SinkSpec, kit.ItemWriter):
    format, shown = None, "kept"

    def open(self, item_type):
        return self

    def write(self, item):
        WRITTEN.append(item)

    def commit(self):
        WRITTEN.append("complete")


def graph(source, sink):
    builder = kit.Builder()
    [digits] = builder.add("digits", kit.Source(source), (), [kit.INT])
    builder.add("kept", kit.Sink(sink), [digits], ())
    return builder.graph()


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("ends", [(Digits(), Kept()), (OwnDigits(), OwnKept())],
                         ids=["given", "derived"])
def test_ends_of_others_run(ends, engine):
    WRITTEN.clear()
    options = RunOptions(engine=engine)
    execute(plan_for(graph(*ends), options), options)
    assert [*range(10), "complete"] == WRITTEN


@pytest.mark.parametrize("make, wrong", [
    (lambda: kit.Source(object()), "`object` is no source"),
    (lambda: kit.Sink(3), "`int` is no sink")])
def test_what_is_missing_is_named(make, wrong):
    with pytest.raises(ProgramError) as raised:
        make()
    assert wrong in str(raised.value)
    assert "it has no `" in raised.value.got
    assert "anabranch.frontend.S" in raised.value.help


def test_a_writer_has_what_a_run_calls():
    class Half:
        def open(self, item_type):
            return []

    options = RunOptions(engine="sequential")
    with pytest.raises(ProgramError, match="`list` is no writer"):
        execute(plan_for(graph(Digits(), Half()), options), options)
