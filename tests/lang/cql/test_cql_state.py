"""The state of every operator can be saved, and what follows is the same after it was."""

from __future__ import annotations

from hypothesis import given, settings

from anabranch.batch.value_codec import decode, encode
from anabranch.lang.cql import compiled
from anabranch.runtime.ends.merging import merged
from anabranch.runtime.machine import Machine
from lang.cql.queries import DECLARATIONS, contents, queries
from lang.cql.test_cql_meaning import ALL, written
from lang.cql.test_cql_schedules import rows_of


@settings(max_examples=60, deadline=None)
@given(queries(), contents())
def test_saving_and_going_on_changes_nothing(query, inputs):
    text = DECLARATIONS + query + ALL
    graph = compiled(text, "program.cql")
    out = {op.name: [] for op in graph.sinks}
    state = {}
    arrivals = list(merged(graph, rows_of(graph, inputs)))
    for half in (arrivals[:len(arrivals) // 2], arrivals[len(arrivals) // 2:]):
        machine = Machine(graph, lambda op, item: out[op.name].append(tuple(item)))
        _restore(machine, state)
        for source, item in half:
            machine.push(source, item)
        state = {name: encode(cell.value) for name, cell in machine.cells.items()}
    machine.finish()
    assert list(out.values()) == written(text, inputs)


def _restore(machine: Machine, state: dict[str, bytes]) -> None:
    for name, saved in state.items():
        machine.cells[name].value = decode(saved)
    # A firing function is bound to the value that its cell had when it was opened.
    machine.fires = [machine._fire_of(op) for op in machine.graph]
