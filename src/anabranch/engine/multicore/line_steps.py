"""One operator of a straight line in plain Python: it takes all rows of a slice, each kind of
operator with as little in between as possible, and knows at which row its function raised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, compress, repeat
from operator import truth

from anabranch.engine.failure import user_failure
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.hot_keys import InParts
from anabranch.engine.multicore.slices import Failure
from anabranch.engine.multicore.stages import finishes
from anabranch.errors import AnabranchError
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply, Cell, Filter, Keyed, Map, Union, key_function
from anabranch.ir.synchronized import Synchronized

Ran = tuple[list[Flow], list[Failure]]


class LineStep:
    """One operator of a line. `run` and `finish` give its outputs by port and its failure."""

    def __init__(self, op: Operator, position: int, cells: list[Cell], buckets: bool):
        self.op, self.position, self.cells = op, position, cells
        self.fire = op.kind.open(cells)
        self.first: dict | None = {} if buckets and _is_keyed(op) and finishes(op) else None
        self._run = _BY_KIND.get(type(op.kind), _run_any)

    def adopt(self, values: list, first: dict | None) -> None:
        self.cells = list(map(Cell, values))
        # A NaN that has travelled is another one: keys are known by their place.
        self.first = None if first is None else dict(zip(values[0], first.values()))
        self.fire = self.op.kind.open(self.cells)

    def run(self, number: int, flow: Flow) -> Ran:
        if self.first is not None:
            self._note(number, flow)
        return self._run(self, flow)

    def finish(self) -> Ran:
        parts = self._keys() if self.first is not None else [(0, self.cells)]
        emitted: list[tuple] = []
        for row, cells in parts:
            try:
                emitted += [(row, *output) for output in self.op.kind.finish(cells)]
            except (Exception, SystemExit) as error:
                return self._by_port([]), [self._failure(row, error)]
        return self._by_port(emitted), []

    def _by_port(self, emitted: list[tuple]) -> list[Flow]:
        flows = [Flow([], []) for _ in self.op.outputs]
        for row, port, item in emitted:
            flows[port].rows.append(row)
            flows[port].items.append(item)
        return flows

    def _keys(self) -> Iterable[tuple]:
        """Each key alone, in the order of first appearance, with the row that it came with."""
        for key, state in self.cells[0].value.items():
            yield self.first[key], [Cell({key: state}), *self.cells[1:]]

    def _note(self, number: int, flow: Flow) -> None:
        ports = flow.ports or [0] * len(flow.items)
        keys = [key_function(self.op.kind.keys_of(p)) for p in range(self.op.kind.ports)]
        for row, port, item in zip(flow.rows, ports, flow.items):
            try:
                self.first.setdefault(keys[port](item), (number, row))
            except Exception:
                # The operator itself will say what is wrong with this item.
                return

    def _failure(self, row: object, error: Exception, *item: object) -> Failure:
        return Failure((self.position, row), failure_of(self.op, error, *item))

    def failed(self, flow: Flow, index: int, error: Exception) -> list[Failure]:
        return [self._failure(flow.rows[index], error, flow.items[index])]


def failure_of(op: Operator, error: Exception, *item: object) -> AnabranchError:
    """The error that the sequential engine would raise."""
    if isinstance(error, AnabranchError):
        error.where = error.where or op.span
        return error
    failure = user_failure(op, error, *item)
    failure.__cause__ = error
    return failure


def _is_keyed(op: Operator) -> bool:
    return isinstance(op.kind, Keyed) and op.kind.stateful


def _called(step: LineStep, function: Callable, flow: Flow, given: Sequence | None = None
            ) -> tuple[list, list[Failure]]:
    """The function's results, up to the first item for which it raises; `given` stands for the
    items, if it is there."""
    results, given = [], flow.items if given is None else given
    try:
        results.extend(map(function, given))
    except (Exception, SystemExit) as error:
        return results, step.failed(flow, len(results), error)
    if len(results) < len(given):
        return results, step.failed(flow, len(results), StopIteration())
    return results, []


def _run_map(step: LineStep, flow: Flow) -> Ran:
    results, failure = _called(step, step.op.kind.function.call, flow)
    return [Flow(flow.rows[:len(results)] if failure else flow.rows, results)], failure


def _run_filter(step: LineStep, flow: Flow) -> Ran:
    answers, later = _called(step, step.op.kind.function.call, flow)
    kept, failure = _called(step, truth, flow, answers)
    return [Flow(list(compress(flow.rows, kept)), list(compress(flow.items, kept)))], (
        failure or later)


def _run_apply(step: LineStep, flow: Flow) -> Ran:
    """Calls the user's function without a step in between, which would cost as much as many."""
    apply = _apply_keyed if step.op.kind.stateful else _apply
    items, counts, failure = [], [], []
    try:
        apply(step, flow.items, items, counts)
    except (Exception, SystemExit) as error:
        failure = step.failed(flow, len(counts), error)
    return [Flow(_repeated(flow.rows, counts), items)], failure


def _repeated(rows: Sequence, counts: list[int]) -> Sequence:
    """Each row as often as it is counted, up to the last that is."""
    if counts.count(1) == len(counts):
        return rows[:len(counts)] if len(counts) < len(rows) else rows
    return list(chain.from_iterable(map(repeat, rows, counts)))


def _apply(step: LineStep, given: Iterable, items: list, counts: list[int]) -> None:
    """Adds what the function makes of each item given, and how much that is."""
    call = step.op.kind.function.call
    for item in given:
        made = list(call(item))
        items += made
        counts.append(len(made))


def _apply_keyed(step: LineStep, given: Iterable, items: list, counts: list[int]) -> None:
    kind, states = step.op.kind, step.cells[0].value
    call, new = kind.function.call, kind.new_state
    for key, item in zip(map(key_function(kind.by), given), given):
        state = states.get(key)
        if state is None:
            state = states[key] = new()
        made = list(call(state, item))
        items += made
        counts.append(len(made))


def _run_any(step: LineStep, flow: Flow) -> Ran:
    fire, ports = step.fire, flow.ports or [0] * len(flow.items)
    rows: list[list] = [[] for _ in step.op.outputs]
    items: list[list] = [[] for _ in step.op.outputs]
    done = 0
    try:
        for row, port, item in zip(flow.rows, ports, flow.items):
            for out_port, out in fire(port, item):
                rows[out_port].append(row)
                items[out_port].append(out)
            done += 1
    except (Exception, SystemExit) as error:
        failure = step.failed(flow, done, error)
    else:
        failure = []
    return [Flow(r, i) for r, i in zip(rows, items)], failure


def _run_union(step: LineStep, flow: Flow) -> Ran:
    """In the order of arrival items pass as they are, also those that nobody has looked at yet."""
    return ([Flow(flow.rows, flow.items)], []) if step.op.kind.on is None else _run_any(step, flow)


def _run_in_parts(step: LineStep, flow: Flow) -> Ran:
    return [Flow(*step.op.kind.parted(flow.rows, flow.items))], []


_BY_KIND = {Map: _run_map, Filter: _run_filter, Apply: _run_apply, Synchronized: _run_apply,
            Union: _run_union, InParts: _run_in_parts}
