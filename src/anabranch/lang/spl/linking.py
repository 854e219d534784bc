"""Import and Export, and the logic of operators that have none of their own.

Import takes what the Exports of the same run give under its name, or with properties that its
subscription asks for. Logic of an operator that has none of its own is a Custom before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import Build, Model
from anabranch.lang.spl.composites import Input, Instance, Output
from anabranch.lang.spl.syntax import Node, Word


def linked(found: Iterable[Instance]) -> list[Instance]:
    """The operators, where each Import is what takes the streams that are exported to it."""
    found = list(found)
    exports = [op for op in found if op.operator == "Export"]
    for op in exports:
        _check_ports(op, 1, 0)
    return [_imported(op, exports) if op.operator == "Import" else op
            for op in found if op.operator != "Export"]


def _check_ports(op: Instance, inputs: int, outputs: int) -> None:
    if (len(op.inputs), len(op.outputs)) != (inputs, outputs):
        raise ProgramError(f"{op.operator} has {inputs} input and {outputs} output ports", op.span)


def _imported(op: Instance, exports: list[Instance]) -> Instance:
    _check_ports(op, 0, 1)
    for setting in op.node.parameters:
        if setting.name.text not in ("subscription", "applicationName", "applicationScope",
                                     "streamId", "filter"):
            raise ProgramError(f"Import has no parameter {setting.name.text}", setting.name.span)
    given = [e for e in exports if _matches(op, e)]
    if not given:
        known = [_word(e, "streamId") or "" for e in exports]
        raise ProgramError("nothing in this run is exported to it", op.span, help=did_you_mean(
            _word(op, "streamId") or "", known) or "put the operators of both into one program")
    streams = tuple(s for e in given for s in e.inputs[0].streams)
    port = Input(op.outputs[0].name, streams, op.outputs[0].type, op.span)
    kept = tuple(s for s in op.node.parameters if s.name.text == "filter")
    return replace(op, operator="Filter", inputs=(port,), node=replace(op.node, parameters=kept))


def _matches(op: Instance, export: Instance) -> bool:
    if export.inputs[0].type != op.outputs[0].type:
        return False
    wanted = op.node.setting("subscription")
    if wanted is None:
        return _word(op, "streamId") is not None and _word(op, "streamId") == _word(export,
                                                                                   "streamId")
    given = export.node.setting("properties")
    properties = {} if given is None else dict(_properties(given.values[0]))
    return bool(_told(wanted.values[0], properties))


def _word(op: Instance, name: str) -> str | None:
    setting = op.node.setting(name)
    value = setting.values[0] if setting else None
    if value is not None and not isinstance(value, syntax.Text):
        raise ProgramError(f"{name} is a text", value.span)
    return value.value if value else None


def _properties(node: Node) -> Iterator[tuple[str, object]]:
    if not isinstance(node, syntax.TupleLiteral):
        raise ProgramError("properties are a tuple", node.span, expected='{kind = "bargains"}')
    for field in node.fields:
        yield field.name.text, _told(field.value, {})


COMPARISONS: dict[str, Callable[[object, object], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b, "%": lambda a, b: a % b}


def _told(node: Node, properties: Mapping[str, object]) -> object:
    """The value of a subscription; a property that is not there makes nothing true."""
    match node:
        case syntax.Text(value=value) | syntax.Number(value=value) | syntax.Truth(value=value):
            return value
        case syntax.ListLiteral(items=items):
            return [_told(i, properties) for i in items]
        case syntax.Name(text=name):
            return properties.get(name)
        case syntax.Index(owner=owner, index=index):
            try:
                return _told(owner, properties)[_told(index, properties)]
            except (TypeError, IndexError):
                return None
        case syntax.Unary(operator="-", operand=operand):
            return -_told(operand, properties)
        case syntax.Unary(operator="!", operand=operand):
            return not _told(operand, properties)
        case syntax.Binary(operator="&&", left=left, right=right):
            return bool(_told(left, properties)) and bool(_told(right, properties))
        case syntax.Binary(operator="||", left=left, right=right):
            return bool(_told(left, properties)) or bool(_told(right, properties))
        case syntax.Binary(operator=operator, left=left, right=right) if operator in COMPARISONS:
            sides = _told(left, properties), _told(right, properties)
            try:
                return None not in sides and COMPARISONS[operator](*sides)
            except (TypeError, ZeroDivisionError):
                return False
    raise ProgramError("this cannot stand in a subscription", node.span,
                       expected='kind == "bargains" && "IBM" in symbols')


# Logic.

def with_logic(found: Iterable[Instance], toolkit: Mapping[str, Model]) -> Iterator[Instance]:
    """The operators, each behind the logic that it has, if it can have none itself."""
    for op in found:
        model = toolkit[op.operator]
        if op.node.handlers and not model.logic and model.lower is not None and not _folds(op):
            yield from _behind_logic(op)
        else:
            yield op


def _folds(op: Instance) -> bool:
    """Whether the logic is the variables of an Aggregate's own folds, and nothing else."""
    own = [n for n in syntax.walk(op.node.assignments) if isinstance(n, syntax.Invoke)
           and n.function.text == "Custom"]
    return op.operator == "Aggregate" and all(h.event == "state" for h in op.node.handlers) and (
        len(_uses_of_state(op)) == sum(len(_uses_of_state(op, (each,))) for each in own))


def _uses_of_state(op: Instance, parts: tuple | None = None) -> list[syntax.Name]:
    """Where an operator, or a part of it, names the variables of its logic elsewhere than in it."""
    names, given = _variables(op), parts or (
        op.node.parameters, op.node.assignments, op.node.windows)
    return [n for part in given for n in syntax.walk(part)
            if isinstance(n, syntax.Name) and n.text in names]


def _variables(op: Instance) -> set[str]:
    """The names of the variables of a logic."""
    state = op.node.handler("state")
    nodes = syntax.walk(state) if state else ()
    return {n.name.text for n in nodes if isinstance(n, syntax.Variable)}


def _behind_logic(op: Instance) -> Iterator[Instance]:
    state, used = op.node.handler("state"), _uses_of_state(op)
    seen = [h for h in op.node.handlers if h.event != "state"]
    if used:
        raise ProgramError(f"{op.operator} cannot see the state of its logic", used[0].span,
                           help="compute this in a Functor or a Custom before it")
    if _variables(op) and len({h.port.text for h in seen if h.port}) > 1:
        raise ProgramError(f"the ports of {op.operator} cannot share a state", state.span,
                           help="write a Custom before it")
    ports = []
    for port in op.inputs:
        mine = tuple(h for h in seen if h.port and h.port.text == port.name)
        if not mine:
            ports.append(port)
            continue
        custom, port = _before(op, port, mine, state)
        yield custom
        ports.append(port)
    yield replace(op, inputs=tuple(ports), node=replace(op.node, handlers=()))


def _before(op: Instance, port: Input, handlers: tuple[syntax.Handler, ...],
            state: syntax.Handler | None) -> tuple[Instance, Input]:
    """A Custom that does what the logic of a port says and hands everything on."""
    span, stream = port.span, f"{op.name}.{port.name}.logic"
    out = Output("(out)", stream, port.type, span)
    by_event = {h.event: h for h in handlers}
    written = [] if state is None else [state]
    for event, value in (("onTuple", syntax.Name(span, port.name)),
                         ("onPunct", syntax.Invoke(span, Word(span, "currentPunct"), ()))):
        handler = by_event.get(event)
        hands = syntax.Evaluate(span, syntax.Invoke(span, Word(span, "submit"), (
            value, syntax.Name(span, out.name))))
        for node in syntax.walk(handler.body) if handler else ():
            if isinstance(node, syntax.Return):
                raise ProgramError(f"return is not supported in the logic of {op.operator}",
                                   node.span, help="write if (...) { ... }")
        body = syntax.Block(span, (*((handler.body,) if handler else ()), hands))
        if handler or event == "onTuple":
            written.append(syntax.Handler(span, event, Word(span, port.name), body))
    node = replace(op.node, handlers=tuple(written), parameters=(), assignments=(), windows=(),
                   config=())
    custom = Instance(stream, "Custom", node, (port,), (out,), op.scope, op.types, (), ())
    return custom, Input(port.name, (stream,), port.type, span)


def _linked_already(op: Instance, build: Build) -> None:
    raise AssertionError(f"{op.name} connects streams, and is gone when operators are lowered")


MODELS = (
    Model("Import", (0, 0), (1, 1), ("subscription", "applicationName", "applicationScope",
          "streamId", "filter"), "none", "the tuples that are exported", _linked_already),
    Model("Export", (1, 1), (0, 0), ("properties", "streamId", "allowFilter", "congestionPolicy"),
          "none", "a sink", _linked_already),
)
