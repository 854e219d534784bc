"""Functor, Filter, Union, Punctor, and Custom with its logic."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.core.errors import ProgramError
from anabranch.io.python.objects import IterableSource
from anabranch.ir.function import Function
from anabranch.ir.operators import Filter, FlatMap, Map, Source, Union
from anabranch.ir.operators import Split as Parting
from anabranch.ir.records import record_class, state_class
from anabranch.ir.types import INT, STR, OptionalOf, RecordOf
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import (
    ITEM,
    Build,
    Model,
    Work,
    fields_named,
    outputs_of,
    python_name,
    same_type,
    state_field,
    stateful,
)
from anabranch.lang.spl.coding.bodies import Body, Ports, converted
from anabranch.lang.spl.coding.expressions import Expressions
from anabranch.lang.spl.coding.keys import key_of
from anabranch.lang.spl.coding.operations import Code
from anabranch.lang.spl.coding.scopes import Binding, Scope
from anabranch.lang.spl.composites import MARKERS, Input, Instance
from anabranch.lang.spl.types import (
    VOID,
    Collection,
    SplType,
    default_of,
    field_name,
    item_type,
    record_of,
)


def functor(op: Instance, build: Build) -> None:
    """A map for each output port, behind a filter if there is one; with logic, an operator whose
    state it changes first."""
    if op.node.handlers:
        return _functor_with_logic(op, build)
    queue = _filtered(op, build)
    marked = build.is_marked(op.inputs[0])
    for port, output in enumerate(op.outputs):
        work = build.work(op)
        found = work.at(work.scope((op.inputs[0], ITEM)))
        text = work.output(port, found, op.inputs)
        text = f"None if {ITEM} is None else {text}" if marked else text
        build.give(op, Map(work.simple(text, output.span)), [queue], port)
    return None


def _filtered(op: Instance, build: Build) -> str:
    """The queue of the tuples for which the parameter filter holds."""
    queue, condition = build.queue(op), op.node.setting("filter")
    if condition is None:
        return queue
    work = build.work(op)
    text = _condition(op, build, work)
    kind = RecordOf(record_of(op.inputs[0].type))
    marked = build.is_marked(op.inputs[0])
    return build.add("filter", Filter(work.simple(text, condition.span)), [queue],
                     OptionalOf(kind) if marked else kind, condition.span)


def _condition(op: Instance, build: Build, work: Work) -> str:
    setting = op.node.setting("filter")
    found = work.at(work.scope((op.inputs[0], ITEM)))
    text = found.condition(setting.values[0]) if setting else "True"
    return f"{ITEM} is None or {text}" if build.is_marked(op.inputs[0]) else text


def filter_(op: Instance, build: Build) -> None:
    """A filter; with a second port, a split."""
    for output in op.outputs:
        same_type(op, output.type, output.span)
    if op.node.handlers:
        return _functor_with_logic(op, build)
    work = build.work(op)
    setting = op.node.setting("filter")
    function = work.simple(_condition(op, build, work), setting.span if setting else op.span)
    if len(op.outputs) == 1:
        return build.give(op, Filter(function), [build.queue(op)])
    names = [o.stream for o in op.outputs]
    return build.builder.place(build.builder.unique(names[0]), Parting((function,)),
                               [build.queue(op)], names, [build.type_of(o) for o in op.outputs],
                               (), op.span)


def union(op: Instance, build: Build) -> None:
    """The tuples of all ports as they come, with the attributes that the output has."""
    queues = []
    for n, port in enumerate(op.inputs):
        queue = build.queue(op, n)
        if port.type != op.outputs[0].type:
            work = build.work(op)
            text = work.output(0, work.at(work.scope((port, ITEM))), [port])
            if build.is_marked(port):
                text = f"None if {ITEM} is None else {text}"
            queue = build.add("port", Map(work.simple(text, port.span)), [queue],
                              build.type_of(op.outputs[0]), port.span)
        queues.append(queue)
    kind = Union(len(queues)) if len(queues) > 1 else Filter(
        Function.from_source("lambda t: True", {}, op.span))
    build.give(op, kind, queues)


def punctor(op: Instance, build: Build) -> None:
    """The tuples, and window markers before or behind those for which the condition holds."""
    work = build.work(op)
    found = work.at(work.scope((op.inputs[0], ITEM)))
    condition = found.condition(op.node.setting("punctuate").values[0])
    text = work.output(0, found, op.inputs)
    before = work.word("position", ("before", "after"), "after") == "before"
    if op.outputs[0].stream not in build.marked:
        return build.give(op, Map(work.simple(text, op.span)), [build.queue(op)])
    lines, name = work.lines, python_name(op.name)
    with lines.inside(f"def {name}({ITEM}):", op.span):
        if build.is_marked(op.inputs[0]):
            with lines.inside(f"if {ITEM} is None:"):
                lines.add("yield None")
                lines.add("return")
        lines.add(f"marks = {condition}", op.span)
        if not before:
            lines.add(f"yield {text}", op.span)
        with lines.inside("if marks:"):
            lines.add("yield None")
        if before:
            lines.add(f"yield {text}", op.span)
    return build.give(op, FlatMap(work.function(name)), [build.queue(op)])


# Logic.

class Logic:
    """The logic clause of an operator: its state, and what it does at a tuple or a marker."""

    def __init__(self, op: Instance, build: Build, work: Work):
        self.op, self.build, self.work = op, build, work
        self.names: dict[str, Binding] = {}
        self.fields: dict[str, tuple[object, object]] = {}
        self.kinds: dict[str, SplType] = {}
        self._declare()

    def _declare(self) -> None:
        handler = self.op.node.handler("state")
        if handler is None:
            return
        body = handler.body
        declared = body.statements if isinstance(body, syntax.Block) else (body,)
        for each in declared:
            items = each.items if isinstance(each, syntax.Variables) else (each,)
            for item in items:
                if not isinstance(item, syntax.Variable):
                    raise ProgramError("only variables are declared here", item.span)
                self._variable(item)

    def _variable(self, item: syntax.Variable) -> None:
        name, kind = item.name.text, self.op.types(item.type)
        if name in self.names:
            raise ProgramError(f"{name} is declared twice", item.span)
        found = self.work.at(self.op.scope.inside(self.names))
        if item.value is None:
            value = default_of(kind)
        else:
            found.fit(item.value, kind, f"the value of {name}")
            value = found.constant(item.value, kind)
        if not item.mutable:
            self.names[name] = Binding(kind, self.work.module.constant(value), False, value)
            return
        field = f"v_{name}"
        self.names[name], self.kinds[name] = Binding(kind, f"s.{field}", True), kind
        self.fields[field] = state_field(kind, value)

    @property
    def key(self) -> tuple[str, ...]:
        """The attributes by which the state falls apart."""
        maps = {n for n, k in self.kinds.items() if isinstance(k, Collection) and k.kind == "map"}
        if len(self.op.inputs) != 1:
            return ()
        if any(self._changes_tuple(h.body, self.op.inputs[0]) for h in self.op.node.handlers):
            return ()
        return key_of(self.op.node.handlers, set(self.kinds), maps, self.op.inputs[0])

    @property
    def state(self) -> type | None:
        return state_class(self.fields) if self.fields else None

    def scope(self, *ports: tuple) -> Scope:
        scope = self.work.scope(*ports)
        for name in self.names:
            if name in scope.names:
                scope.names.pop(name)
        return Scope(dict(scope.names), {}, self.op.scope.inside(self.names))

    def write(self, body: Body, event: str, port: int, text: str) -> bool:
        """The statements of a handler; whether there is one."""
        given = self.op.inputs[port]
        handler = self.op.node.handler(event, given.name)
        if handler is None:
            return False
        scope = self.scope(*(((given, text),) if event == "onTuple" else ()))
        if event == "onTuple" and self._changes_tuple(handler.body, given):
            self._own_tuple(scope, given, text, body)
        body.write(handler.body, scope)
        return True

    def _changes_tuple(self, body: syntax.Node, given: Input) -> bool:
        """Whether a logic assigns the tuple that came, or a part of it."""
        names = {given.name, *given.type.attributes} - self.names.keys()
        return bool(names & set(changed_names(body, self.work.module.functions.changing)))

    def _own_tuple(self, scope: Scope, given: Input, text: str, body: Body) -> None:
        """A copy of the tuple that came, which the logic may change."""
        whole = Binding(given.type, body.lines.name(given.name), True)
        copied = body.at(scope).copied(given.type, text)
        body.lines.add(f"{whole.text} = {copied}", given.span)
        for name, kind in given.type.fields:
            if name in scope.names:
                scope.names[name] = Binding(kind, f"{whole.text}.{field_name(name)}", True,
                                            whole=whole)
        scope.names[given.name] = whole


def changed_names(body: syntax.Node, changing: set[str]) -> Iterator[str]:
    """The variables that statements change."""
    for node in syntax.walk(body):
        if isinstance(node, (syntax.Assign, syntax.Changed)):
            yield root_of(node.target)
        if isinstance(node, syntax.Invoke) and node.function.text in changing:
            yield from map(root_of, node.arguments)
        elif isinstance(node, syntax.Invoke) and node.function.text.endswith("M"):
            yield from map(root_of, node.arguments[:1])


def root_of(place: syntax.Node) -> str:
    """The variable in which a place is."""
    while isinstance(place, (syntax.Index, syntax.Attribute)):
        place = place.owner
    return place.text if isinstance(place, syntax.Name) else ""


def custom(op: Instance, build: Build) -> None:
    """An operator whose state is that of its logic, by the key that the logic shows."""
    _check_handlers(op)
    if not op.inputs:
        return process(op, build)
    work = build.work(op)
    logic = Logic(op, build, work)
    name, at_end = python_name(op.name), f"end_of_{python_name(op.name)}"
    prints = _prints(op, build)
    ports = _ports(op, build, prints)
    body = work.body(ports, len(op.outputs) if prints else None)
    work.extra = {"Given": ports.made} if ports.made else {}
    queue, taken = (build.queue(op), None) if len(op.inputs) == 1 else build.merged(op)
    marks = _punctuations(op)
    key = () if marks else logic.key
    stateless = not logic.fields
    head = ITEM if stateless and not marks else f"s, {ITEM}"
    with work.lines.inside(f"def {name}({head}):", op.span):
        _write_handlers(op, build, logic, body, taken)
        _keep_generator(work)
    end = None
    if marks:
        with work.lines.inside(f"def {at_end}(s):", op.span):
            for marker in ("WindowMarker", "FinalMarker"):
                _punctuation(work, marker)
                for n in marks:
                    if marker == "FinalMarker" or build.ends_marked(op.inputs[n]):
                        logic.write(body, "onPunct", n, "")
            _keep_generator(work)
        end = work.function(at_end)
        logic.fields.setdefault("v_", (int, 0))
    function = work.function(name)
    kind = stateful(logic.state, fields_named(key), end)
    if stateless and _is_one_submit(op, prints, marks) and not any(
            work.at(op.scope).changes(handler.body) for handler in op.node.handlers):
        return _as_map(op, build, queue)
    return outputs_of(op, build, kind, work, function, queue, ports, prints)


def process(op: Instance, build: Build) -> None:
    """A source whose logic says what it submits: it runs once."""
    handler = op.node.handler("onProcess")
    work, once = build.work(op), record_class("Once", {"number": INT})
    logic, name, prints = Logic(op, build, work), python_name(op.name), _prints(op, build)
    if handler is None or not (op.outputs or prints):
        raise ProgramError("a Custom without inputs wants onProcess, which submits or prints",
                           op.span, help="logic onProcess: { submit({...}, Out); }")
    ports = _ports(op, build, prints)
    body = work.body(ports, len(op.outputs) if prints else None)
    work.extra = {"Given": ports.made} if ports.made else {}
    with work.lines.inside(f"def {name}({'s, ' if logic.fields else ''}{ITEM}):", op.span):
        body.write(handler.body, logic.scope())
        _keep_generator(work)
    source = IterableSource([once(0)], RecordOf(once), None, op.span)
    queue = build.add(f"{op.name}.start", Source(source, None), (), RecordOf(once), op.span)
    outputs_of(op, build, stateful(logic.state), work, work.function(name), queue, ports, prints)


def _check_handlers(op: Instance) -> None:
    for handler in op.node.handlers:
        if handler.event == "onProcess" and op.inputs:
            raise ProgramError("onProcess is for operators without inputs", handler.span,
                               help="write onTuple")
        if handler.event in ("onTuple", "onPunct") and handler.port is None:
            raise ProgramError(f"{handler.event} wants an input port", handler.span)


def _ports(op: Instance, build: Build, prints: bool) -> Ports:
    names = [o.name for o in op.outputs]
    kinds: list[SplType] = [o.type for o in op.outputs]
    items = [item_type(o.type) for o in op.outputs]
    return Ports.of(names + ["(printed)"] * prints, kinds + [VOID] * prints,
                    items + [STR] * prints, [(o.alias, o.name) for o in op.outputs if o.alias])


def _prints(op: Instance, build: Build) -> bool:
    return any(map(build.functions.prints, op.node.handlers))


def _punctuations(op: Instance) -> list[int]:
    return [n for n, port in enumerate(op.inputs) if op.node.handler("onPunct", port.name)]


def _punctuation(work: Work, marker: str) -> None:
    def current(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        return Code(MARKERS, repr(marker))
    work.calls["currentPunct"] = current


def _write_handlers(op: Instance, build: Build, logic: Logic, body: Body, taken: type | None
                    ) -> None:
    lines, word = logic.work.lines, "if"
    for n, port in enumerate(op.inputs):
        text = ITEM if taken is None else f"{ITEM}.p{n}"
        if taken is not None:
            lines.add(f"{word} {ITEM}.port == {n}:")
            lines.depth += 1
            before, word = len(lines.lines), "elif"
        if build.is_marked(port):
            with lines.inside(f"if {text} is None:"):
                _punctuation(logic.work, "WindowMarker")
                logic.write(body, "onPunct", n, "")
                lines.add("return")
        logic.write(body, "onTuple", n, text)
        if taken is not None:
            if len(lines.lines) == before:
                lines.add("pass")
            lines.depth -= 1


def _keep_generator(work: Work) -> None:
    """A function without any yield would be no generator."""
    lines = work.lines.lines
    head = max(n for n, line in enumerate(lines) if line.startswith("def "))
    if not any("yield" in line for line in lines[head:]):
        work.lines.add("yield from ()")


def _is_one_submit(op: Instance, prints: bool, marks: list[int]) -> bool:
    """Whether the logic is one submit and nothing else: then it is a map."""
    if prints or marks or len(op.inputs) != 1 or len(op.outputs) != 1:
        return False
    handler = op.node.handler("onTuple", op.inputs[0].name)
    body = handler.body if handler else None
    while isinstance(body, syntax.Block) and len(body.statements) == 1:
        body = body.statements[0]
    return isinstance(body, syntax.Evaluate) and _submits_tuple(body)


def _submits_tuple(body: syntax.Evaluate) -> bool:
    call = body.expression
    return isinstance(call, syntax.Invoke) and call.function.text == "submit" and not (
        isinstance(call.arguments[0], syntax.Attribute)
        and getattr(call.arguments[0].owner, "text", "") == "Sys")


def _as_map(op: Instance, build: Build, queue: str) -> None:
    work = build.work(op)
    logic = Logic(op, build, work)
    body = op.node.handler("onTuple", op.inputs[0].name).body
    while isinstance(body, syntax.Block):
        body = body.statements[0]
    found = work.at(logic.scope((op.inputs[0], ITEM)))
    value, kind = body.expression.arguments[0], op.outputs[0].type
    code = converted(found, found.value(value, kind), kind, value)
    text = f"None if {ITEM} is None else {code.text}" if build.is_marked(op.inputs[0]) else (
        code.text)
    build.give(op, Map(work.simple(text, body.span)), [queue])


def _functor_with_logic(op: Instance, build: Build) -> None:
    """The logic runs before each output is computed, and the outputs see its state."""
    _check_handlers(op)
    if _punctuations(op):
        raise ProgramError(f"a {op.operator} with onPunct is not supported", op.span,
                           help="write a Custom")
    work, prints = build.work(op), _prints(op, build)
    logic, name, ports = Logic(op, build, work), python_name(op.name), _ports(op, build, prints)
    body = work.body(ports, len(op.outputs) if prints else None)
    work.extra = {"Given": ports.made} if ports.made else {}
    with work.lines.inside(f"def {name}({'s, ' if logic.fields else ''}{ITEM}):", op.span):
        if build.is_marked(op.inputs[0]):
            with work.lines.inside(f"if {ITEM} is None:"):
                for n in range(len(op.outputs)):
                    work.lines.add(f"yield {ports.given(n, 'None')}")
                work.lines.add("return")
        logic.write(body, "onTuple", 0, ITEM)
        found = work.writing(logic.scope((op.inputs[0], ITEM)))
        setting = op.node.setting("filter")
        condition = found.condition(setting.values[0]) if setting else "True"
        _give_outputs(op, work, found, ports, condition)
    kind = stateful(logic.state, fields_named(_functor_key(op, logic)))
    outputs_of(op, build, kind, work, work.function(name), build.queue(op), ports, prints)


def _give_outputs(op: Instance, work: Work, found: Expressions, ports: Ports, condition: str
                  ) -> None:
    """What a Functor gives where its condition holds; what a Filter gives, and to whom."""
    lines = work.lines
    with lines.inside(f"if {condition}:", op.span):
        for n in range(len(op.outputs) if op.operator == "Functor" else 1):
            text = work.output(n, found, op.inputs)
            lines.add(f"yield {ports.given(n, text)}", op.span)
    if op.operator == "Filter" and len(op.outputs) > 1:
        with lines.inside("else:"):
            lines.add(f"yield {ports.given(1, work.output(1, found, op.inputs))}", op.span)


def _functor_key(op: Instance, logic: Logic) -> tuple[str, ...]:
    """As for Custom; outputs and filter use the state too."""
    key = logic.key
    if logic.work.at(op.scope).changes(op.node):
        return ()
    more = [f.value for c in op.node.assignments for f in c.fields]
    more += [v for s in op.node.parameters for v in s.values]
    uses = {n.text for each in more for n in syntax.walk(each) if isinstance(n, syntax.Name)}
    if not key or not uses & set(logic.kinds):
        return key
    extra = tuple(syntax.Handler(v.span, "onTuple", None, v) for v in more)
    return key_of((*op.node.handlers, *extra), set(logic.kinds), set(logic.kinds), op.inputs[0])


MODELS = (
    Model("Functor", (1, 1), (1, None), ("filter",), "none; that of its logic", "at most one",
          functor, logic=True, assigns=True, forwards_marks=True),
    Model("Filter", (1, 1), (1, 2), ("filter",), "none; that of its logic", "at most one", filter_,
          logic=True, forwards_marks=True),
    Model("Union", (1, None), (1, 1), (), "none", "one", union, forwards_marks=True),
    Model("Punctor", (1, 1), (1, 1), ("punctuate", "position"), "none", "one, and markers",
          punctor, required=("punctuate",), assigns=True, forwards_marks=True, makes_marks=True),
    Model("Custom", (0, None), (0, None), (), "that of its logic, by key where every use of its "
          "maps is by the same attributes", "found in its logic", custom, logic=True,
          makes_marks=True),
)
