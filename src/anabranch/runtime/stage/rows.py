"""A straight line of operators in Python: each takes all rows, then the next.

Each kind of operator has as little in between as possible, and knows which row is at work.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import chain, compress, repeat
from operator import truth

from anabranch.batch.failure import late_row, user_failure
from anabranch.batch.likeness import copied
from anabranch.batch.slices import Failure, Flow, Outcome, Step, parted
from anabranch.core.errors import AnabranchError
from anabranch.core.source import raised_at
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.keys import state_of
from anabranch.ir.operators import (
    Apply,
    Cell,
    Filter,
    Keyed,
    Map,
    Union,
    attributes_of,
    key_function,
)
from anabranch.ir.synchronization import Synchronized
from anabranch.ir.windows import LateRow
from anabranch.plan.physical.hot_keys import InParts
from anabranch.plan.physical.stages import finishes
from anabranch.runtime.stage.double_check import Doubts, FirstItems, is_early

Ran = tuple[list[Flow], list[Failure]]


class LineStep:
    """One operator of a line. `run` and `finish` give its outputs by port and its failure."""

    def __init__(self, op: Operator, position: int, cells: list[Cell], buckets: bool,
                 doubts: Doubts | None = None):
        self.op, self.position, self.cells = op, position, cells
        self.doubts, self.apart = doubts, {}
        self.fire = op.kind.open(cells)
        self.first: dict | None = {} if buckets and _is_keyed(op) and finishes(op) else None
        self._run = _BY_KIND.get(type(op.kind), _run_any)

    def adopt(self, values: list, first: dict | None) -> None:
        self.cells = list(map(Cell, values))
        self.doubts = None
        # A NaN that has travelled is another one: keys are known by their place.
        self.first = None if first is None else dict(zip(values[0], first.values()))
        self.fire = self.op.kind.open(self.cells)

    def run(self, number: int, flow: Flow) -> Ran:
        if self.first is not None:
            self._note(number, flow)
        # Without state several threads may be here, and another may have settled the doubts.
        doubts = self.doubts
        if doubts is not None and len(flow.items):
            return self._checked(number, flow, doubts)
        return self._run(self, flow)

    def _checked(self, number: int | tuple[int, int], flow: Flow, doubts: Doubts) -> Ran:
        """The same, and the first items a second time, in another order."""
        sample = self._sample(number, doubts)
        if sample is None or not sample.busy.acquire(blocking=False):
            return self._run(self, flow)
        began = time.thread_time()
        with closing(sample):
            parts, seconds = self._one_by_one(flow, sample)
            failed = bool(parts) and _has_failed(parts[-1])
            found = None if failed else sample.difference()
        # What a row costs is not to be judged by this.
        self.apart[threading.get_ident()] = time.thread_time() - began - seconds
        if found is not None:
            return self._by_port([]), [self._failure(flow.rows[0], sample.error(found))]
        if len(parts) < len(flow.items) and not failed:
            parts.append(self._run(self, _part(flow, len(parts), len(flow.items))))
        return _followed(parts)

    def _sample(self, number: int | tuple[int, int], doubts: Doubts) -> FirstItems | None:
        """The sample that these items belong to, if they do to any."""
        if is_early(number) and (sample := doubts.sample(self)) is not None and sample.room:
            return sample
        self.doubts = None
        return None

    def _one_by_one(self, flow: Flow, sample: FirstItems) -> tuple[list[Ran], float]:
        """Runs the items that the sample has room for, up to a failure; and how long that took."""
        parts, seconds = [], 0.0
        for place in range(min(sample.room, len(flow.items))):
            one = _part(flow, place, place + 1)
            try:
                item = copied(one.items[0])
            except Exception:
                sample.end()
                break
            began = time.thread_time()
            parts.append(self._run(self, one))
            seconds += time.thread_time() - began
            if _has_failed(parts[-1]):
                break
            sample.add(one.ports[0] if one.ports else 0, item, [f.items for f in parts[-1][0]])
        return parts, seconds

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


def _part(flow: Flow, start: int, stop: int) -> Flow:
    ports = None if flow.ports is None else flow.ports[start:stop]
    return Flow(flow.rows[start:stop], list(flow.items[start:stop]), ports)


def _followed(parts: Sequence[Ran]) -> Ran:
    """Some runs, one behind the other."""
    flows = [Flow(list(chain.from_iterable(flow.rows for flow in port)),
                  list(chain.from_iterable(flow.items for flow in port)))
             for port in zip(*(flows for flows, _ in parts))]
    return flows, [failure for _, failures in parts for failure in failures]


def _has_failed(ran: Ran) -> bool:
    return bool(parted(ran[1])[0])


def failure_of(op: Operator, error: Exception, *item: object) -> AnabranchError:
    """The error that the sequential engine would raise."""
    if isinstance(error, AnabranchError):
        error.where = error.where or raised_at(error) or op.span
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
        return results, step.failed(flow, len(results), _stopped(function, given[len(results)]))
    return results, []


def _stopped(function: Callable, item: object) -> BaseException:
    """What a function has raised that ended the loop over its results, as if no item were left."""
    try:
        function(item)
    except (Exception, SystemExit) as error:
        return error
    return StopIteration()


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
        made = [each for each in call(item)]  # noqa: C416 (`list` would ask how many there are)
        items += made
        counts.append(len(made))


def _apply_keyed(step: LineStep, given: Iterable, items: list, counts: list[int]) -> None:
    kind, states = step.op.kind, step.cells[0].value
    call, new = kind.function.call, kind.new_state
    for key, item in zip(map(attributes_of(kind.by), given), given):
        state = states.get(key)
        if state is None:
            state = state_of(states, key, new)
        made = [each for each in call(state, item)]  # noqa: C416
        items += made
        counts.append(len(made))


def _run_any(step: LineStep, flow: Flow) -> Ran:
    fire, ports = step.fire, flow.ports or [0] * len(flow.items)
    rows: list[list] = [[] for _ in step.op.outputs]
    items: list[list] = [[] for _ in step.op.outputs]
    failures: list[Failure] = []
    done = 0
    try:
        for row, port, item in zip(flow.rows, ports, flow.items):
            try:
                outputs = fire(port, item)
            except LateRow as late:
                failures.append(step._failure(row, late_row(step.op, late, item)))
                outputs = ()
            for out_port, out in outputs:
                rows[out_port].append(row)
                items[out_port].append(out)
            done += 1
    except (Exception, SystemExit) as error:
        failures += step.failed(flow, done, error)
    return [Flow(r, i) for r, i in zip(rows, items)], failures


def _run_union(step: LineStep, flow: Flow) -> Ran:
    """In the order of arrival items pass as they are, also those that nobody has looked at yet."""
    return ([Flow(flow.rows, flow.items)], []) if step.op.kind.on is None else _run_any(step, flow)


def _run_in_parts(step: LineStep, flow: Flow) -> Ran:
    return [Flow(*step.op.kind.parted(flow.rows, flow.items))], []


_BY_KIND = {Map: _run_map, Filter: _run_filter, Apply: _run_apply, Synchronized: _run_apply,
            Union: _run_union, InParts: _run_in_parts}


class Line:
    """The operators of a stage with cells of their own, so there can be one for each bucket.

    With `buckets`, keyed operators remember with which row each key came first: what they emit at
    the end of the input is then put in order among that of other buckets. Operators in `doubts` run
    their first items twice.
    """

    def __init__(self, graph: Graph, operators: Sequence[Operator], buckets: bool = False,
                 doubts: Doubts | None = None):
        initial = {v.name: v.initial for v in graph.variables}
        self.steps = [LineStep(op, graph.position(op), [Cell(initial[v]()) for v in op.variables],
                               buckets, doubts) for op in operators]

    def run(self, number: int, flow: Flow) -> Outcome:
        """Takes the rows of slice `number` through the line."""
        return self._through(self.steps, number, [flow], [])

    def finish(self, number: int, name: str) -> Outcome:
        """Tells one operator of the end of its input; its last items pass those behind it."""
        index = next(i for i, step in enumerate(self.steps) if step.op.name == name)
        flows, failures = self.steps[index].finish()
        ended = Step(name, 0, _count(flows), 0.0)
        return self._through(self.steps[index + 1:], number, flows, failures, ended)

    def state(self) -> list:
        """All that the operators remember."""
        return [([cell.value for cell in step.cells], step.first) for step in self.steps]

    def adopt(self, state: list) -> None:
        """Goes on from what another line of the same operators remembers."""
        for step, (values, first) in zip(self.steps, state):
            step.adopt(values, first)

    def _through(self, steps, number: int, flows: list[Flow], failures: list, *done: Step
                 ) -> Outcome:
        # Not the time on the clock: it grows when workers get into each other's way.
        began = before = time.thread_time()
        for step in steps:
            rows_in = len(flows[0].items)
            flows, failure = step.run(number, flows[0])
            failures, now = [*failures, *failure], time.thread_time()
            apart = step.apart.pop(threading.get_ident(), 0.0)
            done += (Step(step.op.name, rows_in, _count(flows), now - before - apart),)
            began, before = began + apart, now
        return Outcome(flows, failures, before - began, done)


def _count(flows: Sequence[Flow]) -> int:
    return sum(len(flow.items) for flow in flows)
