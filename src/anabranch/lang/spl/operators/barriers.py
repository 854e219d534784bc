"""Barrier and Pair: tuples of several ports that belong together.

Without partitions they are the core's own barrier. With them the tuples of each value of
`partitionBy0`, `partitionBy1` and so on wait for each other; the state falls apart by these values.
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.core.errors import ProgramError
from anabranch.ir.function import Function
from anabranch.ir.operators import Barrier, FlatMap, Map, Union
from anabranch.ir.records import record_class, state_class
from anabranch.ir.types import INT, OptionalOf, RecordOf
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import ITEM, Build, Model, Work, python_name, stateful
from anabranch.lang.spl.composites import Instance
from anabranch.lang.spl.types import SplType, item_type, record_of, unbounded


def barrier(op: Instance, build: Build) -> None:
    """One tuple of each port, put together into one."""
    work = build.work(op)
    names = [f"t{n}" for n in range(len(op.inputs))]
    text = work.output(0, work.at(work.scope(*zip(op.inputs, names, strict=True))), op.inputs)
    keys = _partitions(op)
    if keys:
        return _partitioned(op, build, work, keys, [text])
    function = work.simple(text, op.span, ", ".join(names))
    queues = [build.queue(op, n) for n in range(len(names))]
    return build.give(op, Barrier(len(names), function), queues)


def pair(op: Instance, build: Build) -> None:
    """One tuple of each port, one behind the other, in the order of the ports; then a marker."""
    for port in op.inputs:
        if port.type != op.outputs[0].type:
            raise ProgramError("Pair takes and gives tuples of one type", port.span,
                               expected=str(op.outputs[0].type), got=str(port.type))
    count = range(len(op.inputs))
    mark = ["None"] if build.is_marked(op.outputs[0]) else []
    keys = _partitions(op)
    if keys:
        return _partitioned(op, build, build.work(op), keys, [*(f"t{n}" for n in count), *mark])
    item = RecordOf(record_of(op.outputs[0].type))
    made = record_class("Together", {f"p{n}": item for n in count})
    names = ", ".join(f"t{n}" for n in count)
    together = Function.from_source(f"lambda {names}: Together({names})", {"Together": made},
                                    op.span)
    parts = ", ".join([*(f"t.p{n}" for n in count), *mark])
    apart = Function.from_source(f"lambda t: [{parts}]", {}, op.span)
    queues = [build.queue(op, n) for n in count]
    both = build.add("pair", Barrier(len(queues), together), queues, RecordOf(made), op.span)
    return build.give(op, FlatMap(apart), [both])


def _partitions(op: Instance) -> list[syntax.Setting]:
    """What each port is partitioned by; nothing, if no port is."""
    last = len(op.inputs) - 1
    other = {"partitionByLHS": 0, "partitionByRHS": last}
    found: dict[int, syntax.Setting] = {}
    for setting in op.node.parameters:
        name = setting.name.text
        if not name.startswith("partitionBy"):
            continue
        number = name.removeprefix("partitionBy")
        port = other.get(name, int(number) if number.isdecimal() else -1)
        if not 0 <= port <= last:
            raise ProgramError(f"{op.operator} has no parameter {name}", setting.name.span,
                               expected="partitionBy0 to " f"partitionBy{last}")
        if port in found:
            raise ProgramError(f"port {port} is partitioned twice", setting.name.span)
        found[port] = setting
    if found and len(found) <= last:
        missing = next(n for n in range(last + 1) if n not in found)
        raise ProgramError("every port is partitioned, or none is", op.span,
                           expected=f"the parameter partitionBy{missing}")
    return [found[n] for n in sorted(found)]


def _partitioned(op: Instance, build: Build, work: Work, keys: list[syntax.Setting],
                 texts: list[str]) -> None:
    """An operator whose tuples wait in lists, one for each port, by key."""
    queue, names = _keyed(op, build, keys)
    lines, name, count = work.lines, python_name(op.name), range(len(op.inputs))
    with lines.inside(f"def {name}(s, {ITEM}):", op.span):
        for n in count:
            with lines.inside(f"{'elif' if n else 'if'} {ITEM}.port == {n}:"):
                lines.add(f"s.w{n}.append({ITEM}.p{n})")
        with lines.inside(f"if {' and '.join(f's.w{n}' for n in count)}:"):
            for n in count:
                lines.add(f"t{n} = s.w{n}.pop(0)")
            for text in texts:
                lines.add(f"yield {text}", op.span)
    fields = {f"w{n}": (list[record_of(p.type)], []) for n, p in enumerate(op.inputs)}
    build.give(op, stateful(state_class(fields), names)(work.function(name)), [queue])


def _keyed(op: Instance, build: Build, keys: list[syntax.Setting]) -> tuple[str, tuple[str, ...]]:
    """The tuples of all ports in one queue, each with the number of its port and its key."""
    kinds = _key_types(op, build, keys)
    names = tuple(f"k{n}" for n in range(len(kinds)))
    ports = [OptionalOf(RecordOf(record_of(p.type))) for p in op.inputs]
    made = record_class("Taken", {"port": INT, **{f"p{n}": k for n, k in enumerate(ports)},
                                  **dict(zip(names, map(item_type, kinds), strict=True))})
    queues = []
    for n, (port, setting) in enumerate(zip(op.inputs, keys, strict=True)):
        work = build.work(op)
        found = work.at(work.scope((port, ITEM)))
        places = [ITEM if m == n else "None" for m in range(len(ports))]
        places += [found.fit(v, k, "the key") for v, k in zip(setting.values, kinds, strict=True)]
        work.extra = {"Taken": made}
        function = work.simple(f"Taken({', '.join([str(n), *places])})", port.span)
        queues.append(build.add("port", Map(function), [build.queue(op, n)], RecordOf(made),
                                port.span))
    return build.add("ports", Union(len(queues)), queues, RecordOf(made), op.span), names


def _key_types(op: Instance, build: Build, keys: list[syntax.Setting]) -> list[SplType]:
    """The types of a key, which has as many parts on each port."""
    work = build.work(op)
    first = work.at(work.scope((op.inputs[0], ITEM)))
    for setting in keys[1:]:
        if len(setting.values) != len(keys[0].values):
            raise ProgramError("all ports are partitioned by as many expressions", setting.span,
                               expected=str(len(keys[0].values)), got=str(len(setting.values)))
    return [unbounded(first.value(v).type) for v in keys[0].values]


def _model(name: str, selectivity: str, lower: Callable[[Instance, Build], None],
           **more: bool) -> Model:
    return Model(name, (2, None), (1, 1), ("bufferSize", "partitionByLHS", "partitionByRHS",
                                           "partitionBy0"),
                 "the tuples that wait, for each value of partitionBy0 and the others",
                 selectivity, lower, open=True, **more)


MODELS = (_model("Barrier", "at most one", barrier, assigns=True),
          _model("Pair", "any number", pair, makes_marks=True))
