"""From a graph to its `.river` text, from which `parse` makes the same graph again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Annotation, Graph, Operator
from anabranch.ir.text.names import (
    PLAIN,
    Vocabulary,
    Wanted,
    default_names,
    is_unbound,
    vocabulary,
    written,
)
from anabranch.ir.types import AnyOf, DictType, ListOf, OptionalOf, RecordOf, TupleType, Type


def show(graph: Graph) -> str:
    """The graph as text: a line for each operator, input and output, in the graph's order."""
    words = vocabulary(graph)
    defaults = default_names([
        Wanted(op.kind, words.functions.get(op.name), op.inputs, op.outputs, op.name)
        for op in graph])
    statements = [_statement(graph, op, words, default)
                  for op, default in zip(graph, defaults, strict=True)]
    return "".join(f"{line}\n" for line in [*_listings(graph, words), *statements])


def _statement(graph: Graph, op: Operator, words: Vocabulary, default: str) -> str:
    shown = _input if op.is_source else _output if op.is_sink else _operator
    label = "" if op.name == default else f" as {written(op.name)}"
    annotations = " ".join(_annotation(a, op) for a in op.annotations)
    line = f"{shown(graph, op, words)}{label};"
    return f"{annotations}\n{line}" if annotations else line


def _input(graph: Graph, op: Operator, words: Vocabulary) -> str:
    origin = f" from {written(words.functions[op.name])}" if not is_unbound(op.kind) else (
        f" time {written(op.kind.time)}" if op.kind.time else "")
    return f"input {_port(graph, op.outputs[0], words)}{origin}"


def _output(graph: Graph, op: Operator, words: Vocabulary) -> str:
    bound = "" if is_unbound(op.kind) else f" to {written(words.functions[op.name])}"
    return f"output {written(op.inputs[0])}{bound}"


def _operator(graph: Graph, op: Operator, words: Vocabulary) -> str:
    results = [*(_port(graph, q, words) for q in op.outputs), *map(written, op.writes)]
    arguments = map(written, op.inputs + op.reads)
    function = written(words.functions[op.name])
    return f"({', '.join(results)}) <- {function}({', '.join(arguments)})"


def _listings(graph: Graph, words: Vocabulary) -> list[str]:
    """The order of queues and variables, where it is not that of their first appearance."""
    queues = tuple(q.name for q in graph.queues)
    variables = tuple(v.name for v in graph.variables)
    lines = []
    if queues != _once(q for op in graph for q in op.outputs):
        lines.append(f"queues {', '.join(_port(graph, q, words) for q in queues)};")
    if variables != _once(v for op in graph for v in op.variables):
        lines.append(f"variables {', '.join(map(written, variables))};")
    return lines


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _port(graph: Graph, queue: str, words: Vocabulary) -> str:
    item = graph.queue(queue).type
    is_said = not isinstance(item, (AnyOf, DictType, TupleType))
    return written(queue) + (f" : {_type(item, words)}" if is_said else "")


def _type(item: Type, words: Vocabulary) -> str:
    if isinstance(item, RecordOf):
        return written(words.records[item.cls])
    if isinstance(item, ListOf):
        return f"list[{_type(item.item, words)}]"
    if isinstance(item, OptionalOf):
        return f"{_type(item.item, words)} | None"
    return str(item)


def _annotation(annotation: Annotation, op: Operator) -> str:
    values = ", ".join(_value(v, op) for v in annotation.arguments)
    return f"@{annotation.name}({values})"


def _value(value: object, op: Operator) -> str:
    """An argument of an annotation: `*` is a missing bound, a plain word needs no quotes."""
    if value is None:
        return "*"
    if isinstance(value, str):
        parts = value.split("=")
        plain = len(parts) <= 2 and all(PLAIN.fullmatch(p) for p in parts)
        return value if plain and value not in ("True", "False") else json.dumps(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    raise ProgramError(f"an annotation of {op.name} cannot be written in River text", op.span,
                       expected="words, numbers, strings or None", got=repr(value))
