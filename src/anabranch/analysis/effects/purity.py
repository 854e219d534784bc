"""Purity: what an operator's functions do besides computing, and what they give.

>>> from anabranch.ir.graph import Builder
>>> from anabranch.ir.operators import Map
>>> from anabranch.ir.types import INT
>>> b = Builder()
>>> [numbers] = b.add("numbers", kinds.Source(), (), [INT])
>>> half = Map(Function.from_source("lambda x: x / 2", {}))
>>> _ = b.add("half", half, [numbers], [INT])
>>> found = Effects().of(b.graph())["half"]
>>> found.fact.reason, found.outputs
('it only computes', (frozenset({Plain(cls=<class 'float'>)}),))
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, singledispatch

from anabranch.analysis.effects import access, attributes, calls, classes, operations
from anabranch.analysis.effects.calls import FOLLOWED
from anabranch.analysis.effects.environment import named_by, packages_used, reached, things_of
from anabranch.analysis.effects.handed_on import GivenOut, kept, taken, with_taken
from anabranch.analysis.effects.machine import AbstractMachine, CallFrame, VariableScope
from anabranch.analysis.effects.members import python_method
from anabranch.analysis.effects.shapes import can_change, shape_of_items, shape_of_type
from anabranch.analysis.effects.values import (
    ANYTHING,
    NONE,
    NOTHING,
    UNKNOWN,
    InnerFunction,
    Object,
    Plain,
    Shape,
    ShapeTree,
    SharedObject,
    Value,
    one_of,
    planted,
    shape_of,
    value,
)
from anabranch.analysis.effects.walk import Walk, check_results
from anabranch.analysis.fact import Effect, EffectKind, Fact
from anabranch.analysis.output_count import falls_through
from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.ir import operators as kinds
from anabranch.ir.aggregates import WindowEnd, WindowStart
from anabranch.ir.changes import SortTies, WindowChanges
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Fused
from anabranch.ir.records import State
from anabranch.ir.synchronization import Synchronized
from anabranch.ir.types import ANY, AnyOf, RecordOf, Type
from anabranch.ir.windows import AggregateWindow, WatermarkWindow, WindowJoin

MOST_ROUNDS = 6


@dataclass(frozen=True)
class Found:
    """What was found of an operator: its effects, the shapes of its outputs, and whether its items
    can be changed by anybody."""

    fact: Fact[tuple[Effect, ...]]
    outputs: tuple[Shape, ...]
    changeable: bool


class Effects:
    """The effects of operators; a rewritten graph has most of them as they were."""

    def __init__(self):
        self._found: dict[tuple, tuple[Operator, Found]] = {}

    def of(self, graph: Graph) -> dict[str, Found]:
        """What is found of every operator, from the sources on. A loop is gone through until the
        shapes of its items hold."""
        shapes: dict[str, Shape] = {}
        loops = any(graph.is_feedback(queue.name) for queue in graph.queues)
        for _ in range(MOST_ROUNDS):
            before = dict(shapes)
            found = {op.name: self._operator(graph, op, shapes) for op in graph}
            if before == shapes or not loops:
                return _handed_on(graph, found, shapes)
        # What comes back is not known.
        shapes = dict.fromkeys(shapes, UNKNOWN)
        return _handed_on(graph, {op.name: self._operator(graph, op, shapes) for op in graph},
                          shapes)

    def _operator(self, graph: Graph, op: Operator, shapes: dict[str, Shape]) -> Found:
        inputs = tuple(shapes.get(queue, NOTHING) for queue in op.inputs)
        types = tuple(graph.queue(queue).type for queue in op.outputs)
        key = id(op), inputs, types
        if key not in self._found:
            # As long as the operator is kept, no other one has its id.
            self._found[key] = op, _find(op, op.kind, inputs, types)
        found = self._found[key][1]
        for queue, shape in zip(op.outputs, found.outputs):
            shapes[queue] = shapes.get(queue, NOTHING) | shape
        return found


def _handed_on(graph: Graph, found: dict[str, Found], shapes: dict[str, Shape]
               ) -> dict[str, Found]:
    """Who takes what others still change has an effect more."""
    effects = {name: each.fact.value for name, each in found.items()}
    more = taken(graph, effects, shapes)
    return found | {name: replace(found[name], fact=with_taken(found[name].fact, effect))
                    for name, effect in more.items()}


def purity(graph: Graph, op: Operator) -> Fact[tuple[Effect, ...]]:
    """The effects of an operator's functions; none when it is pure."""
    return Effects().of(graph)[op.name].fact


def effects_of(function: Function, arguments: Iterable[Type]) -> tuple[Effect, ...]:
    """What a function does besides computing, called with plain values of these types."""
    run = OperatorWalk(None)
    run.call(function, [run.item(shape_of_type(t), n) for n, t in enumerate(arguments)])
    return tuple(run.settled().effects.values())


def _find(op: Operator, kind: kinds.Kind, inputs: tuple[Shape, ...], types: tuple[Type, ...]
          ) -> Found:
    if isinstance(kind, Fused):
        return _fused(kind, inputs, types)
    # The language of a rated routine has no way to do anything but compute.
    rated = isinstance(kind, kinds.RatedRoutine)
    if rated or (op.annotation("Pure") and not any(isinstance(t, AnyOf) for t in types)):
        outputs = tuple(shape_of_type(t, loose=True) for t in types)
        return Found(_fact(op, ()), outputs, any(map(can_change, (*inputs, *outputs))))
    run = OperatorWalk(op)
    emitted = _uses(kind, run, inputs, types)
    machine = run.settled()
    given_out = [] if isinstance(kind, (AggregateWindow, WatermarkWindow)) else run.given_out(kind)
    effects = tuple(dict.fromkeys((*machine.effects.values(), *given_out)))
    outputs = tuple(_known(op, shape | UNKNOWN if machine.vague else shape, t)
                    for shape, t in zip(emitted(), types))
    effects = kept(op.name, effects, outputs, types)
    return Found(_fact(op, effects), outputs, any(map(can_change, (*inputs, *outputs))))


def _known(op: Operator, shape: Shape, declared: Type) -> Shape:
    """The shape of an output. Where the user vouches for a function, what is declared of its items
    is believed too."""
    vouched = any(op.annotation(name) for name in ("Pure", "Stateless", "Keys"))
    return shape_of_type(declared, loose=True) if ANYTHING in shape and vouched else shape


def _fact(op: Operator, effects: tuple[Effect, ...]) -> Fact[tuple[Effect, ...]]:
    if not effects:
        return Fact((), "it only computes", op.span)
    first = next((e for e in effects if e.kind is not EffectKind.READS_SHARED), effects[0])
    return Fact(effects, first.reason, first.span)


def advice(op: Operator, effect: Effect) -> str:
    """What helps where functions use packages, most of whose code is not followed."""
    named = {name for function in op.kind.functions for name in _packages(function)}
    used = sorted((named | {effect.package}) - {None, *FOLLOWED})
    return f" (if {' and '.join(used)} only computes here, pure=True says so)" if used else ""


def _packages(function: Function) -> set[str]:
    syntax = syntax_of(function.call)
    return set() if isinstance(syntax, Missing) else packages_used(syntax.function)


def _fused(kind: Fused, inputs: tuple[Shape, ...], types: tuple[Type, ...]) -> Found:
    for part in kind.parts:
        found = _find(part, part.kind, inputs, (ANY,) * len(part.outputs))
        inputs = found.outputs
    return Found(kind.known.purity, inputs[:len(types)], True)


class OperatorWalk:
    """The functions of one operator, walked together until all is known of them."""

    def __init__(self, op: Operator | None):
        self.op, self.m = op, AbstractMachine()
        self.steps: list[Callable[[], None]] = []
        self.frames: list[tuple[CallFrame, int]] = []
        self.state: Object | None = None

    def item(self, shape: Shape, port: int, name: str = "") -> Value:
        return planted(self.m.heap, shape, "item", ("item", port), name)

    def call(self, function: Function, given: list[Value]) -> Callable[[], tuple[Value, Value]]:
        """Has a function walked; gives what it returns and what it yields, as far as it is known.
        """
        syntax = syntax_of(function.call)
        if isinstance(syntax, Missing):
            self.steps.append(lambda: self.m.unresolved(function.name, syntax.reason,
                                                        function.span))
            return lambda: (UNKNOWN, UNKNOWN)
        frame = calls.new_frame(syntax, syntax.node, None)
        self.frames.append((frame, len(self.steps)))
        given = [_named(self.m, found, name) for found, name in zip(given, syntax.parameters)]
        self.steps.append(lambda: _walked(self.m, syntax, frame, given))
        at_end = value(NONE) if not syntax.is_generator and falls_through(syntax) else NOTHING
        return lambda: (frame.returned | at_end, frame.yielded)

    def step(self, function: Function | None, do: Callable[[Walk, ast.AST], None]) -> None:
        """Has something else done, at the place of a function in the text."""
        walk, node = self._place(function)
        self.steps.append(lambda: do(walk, node))

    def _place(self, function: Function | None) -> tuple[Walk, ast.AST]:
        syntax = syntax_of(function.call) if function else syntax_of(_nowhere)
        if isinstance(syntax, Missing):
            syntax = syntax_of(_nowhere)
        frame = CallFrame(VariableScope(frozenset(), syntax, syntax.node))
        return Walk(self.m, frame.scope, frame), syntax.node

    def settled(self) -> AbstractMachine:
        def run():
            for step in self.steps:
                step()
        self.m.settle(run, self.op.span if self.op else None)
        check_results(self.m)
        return self.m

    def given_out(self, kind: kinds.Kind) -> list[Effect]:
        """Parts of the state in outputs, which a later firing may change."""
        if self.state is None:
            return []
        kept = self.m.heap.reached(value(self.state))
        changed = [self._changed_by(number) & kept for _, number in self.frames]
        found = []
        for place, (frame, _) in enumerate(self.frames):
            last = len(self.frames) > 1 and place == len(self.frames) - 1
            # What is given out at the end cannot be changed by firings: there are none behind it.
            later = changed[place] if last else frozenset().union(*changed)
            found.extend(self._escaping(kind, frame, later))
        return found

    def _changed_by(self, number: int) -> frozenset:
        self.m.changed, self.m.walked = set(), set()
        self.steps[number]()
        return frozenset(self.m.changed)

    def _escaping(self, kind: kinds.Kind, frame: CallFrame, changed: frozenset) -> Iterable[Effect]:
        for node, found in frame.emitted.items():
            if isinstance(kind, kinds.Routine) and isinstance(node, ast.Tuple):
                tuples = [t for t in found if isinstance(t, Object)]
                found = frozenset().union(*(self.m.heap.get(t, 0) for t in tuples))
                node = node.elts[0]
            inside = self.m.heap.reached(found)
            # A function sees the variables around it: all that the operator has.
            sees = any(isinstance(thing, InnerFunction) for thing in inside)
            both = changed if sees else inside & changed
            if both:
                yield Effect(EffectKind.WRITES, self._field(both, ast.unparse(node)),
                             f"`{ast.unparse(node)}` is given out while the state in it can still "
                             "change", frame.scope.syntax.at(node),
                             frozenset((GivenOut(self.op.name),)))

    def _field(self, things: frozenset, shown: str) -> str:
        if self.state in things:
            return "state"
        fields = sorted(str(n) for n, part in self.m.heap.of(self.state).items()
                        if self.m.heap.reached(part) & things)
        own = [n for n in fields if n in getattr(self.state.cls, "__record_fields__", ())]
        own.sort(key=lambda n: f".{n}" not in shown)
        return f"state.{own[0]}" if own else "state"


def _nowhere():
    """The place of what stands in no function of the user's."""


def _named(m: AbstractMachine, found: Value, name: str) -> Value:
    """Items are called as the function's parameter is."""
    for thing in m.heap.reached(found):
        if isinstance(thing, Object) and thing.origin == "item" and not thing.name:
            object.__setattr__(thing, "name", name)
    return found


def _walked(m: AbstractMachine, syntax, frame: CallFrame, given: list[Value]) -> None:
    walk = Walk(m, frame.scope, frame)
    before = [value(calls.seen(walk, syntax.node, _bound(n, v))) for n, v in syntax.bound.items()]
    defaults = {n: value(*(calls.seen(walk, syntax.node, t) for t in things_of(
        [v], _root(n, v, f"the default value of `{n}`")))) for n, v in syntax.defaults.items()}
    for name, found in calls.bound(walk, syntax.node, syntax.node, calls.Arguments(
            [*before, *given]), defaults).items():
        m.bind(frame.scope, name, found)
    walk.block(syntax.body)


def _root(name: str, found: object, label: str) -> SharedObject:
    return SharedObject((found,), name, label, found)


def _bound(name: str, found: object):
    """The object of a method, or what a partial was given."""
    [thing] = things_of([found], _root(name, found,
                                       f"the {type(found).__name__} `{name}` that it is bound to"))
    return thing


Emitted = Callable[[], Iterable[Shape]]


@singledispatch
def _uses(kind: kinds.Kind, run: OperatorWalk, inputs: tuple[Shape, ...], types: tuple[Type, ...]
          ) -> Emitted:
    raise TypeError(f"{run.op.name}: the effects of a {kind.label} are not defined")


@_uses.register(kinds.Source)
def _of_source(kind, run, inputs, types):
    spec, declared = kind.spec, types[0]
    if spec is not None and spec.made_by is not None:
        result = run.call(Function.of(spec.made_by), [one_of(int)])

        def made() -> list[Shape]:
            found = shape_of(run.m.heap, result()[0])
            return [shape_of_type(declared, loose=True) if ANYTHING in found else found]
        return made
    if spec is not None and spec.taken_from is not None:
        run.steps.append(lambda: _reading(run.m, spec.taken_from, run.op))
        return lambda: [shape_of_items(spec.taken_from, declared)]
    return lambda: [shape_of_type(declared)]


def _reading(m: AbstractMachine, iterable: object, op: Operator) -> None:
    """A generator, or an iterator of the user's, may change whatever its code names while it is
    read, and it is read ahead."""
    for name, found in sorted(named_by(iterable).items()):
        m.unresolved(name, f"reads from a generator, which may change `{name}`", op.span,
                     frozenset(() if found is None else map(id, reached(found))) | {name})


@_uses.register(kinds.Sink)
def _of_callback(kind, run, inputs, types):
    if kind.spec is not None and kind.spec.called is not None:
        run.call(Function.of(kind.spec.called), [run.item(s, n) for n, s in enumerate(inputs)])
    return list


@_uses.register(kinds.Union)
def _of_union(kind, run, inputs, types):
    if kind.on is not None:
        _compared(run, frozenset().union(*inputs), kind.on, None)
    return lambda: [frozenset().union(*inputs)]


@_uses.register(WindowChanges)
def _of_changes(kind, run, inputs, types):
    _keys(kind, run, inputs)
    return lambda: [shape_of_type(t, loose=True) for t in types]


@_uses.register(SortTies)
def _of_ties(kind, run, inputs, types):
    for name in dict.fromkeys((kind.on, *kind.keys)):
        _compared(run, inputs[0], name, None)
    _keys(kind, run, inputs)
    return lambda: [inputs[0]]


@_uses.register(kinds.Modelled)
def _of_model(kind, run, inputs, types):
    return lambda: [shape_of_type(t, loose=True) for t in types]


@_uses.register(WindowJoin)
def _of_pairs(kind, run, inputs, types):
    left, right = inputs
    return _of_items(kind, run, (left, right | one_of(type(None)) if kind.outer else right), types)


@_uses.register(kinds.Map)
@_uses.register(kinds.Barrier)
def _of_items(kind, run, inputs, types):
    results = [run.call(f, [run.item(s, n) for n, s in enumerate(inputs)])
               for f in kind.functions]
    _keys(kind, run, inputs)
    return lambda: [shape_of(run.m.heap, results[0]()[0]) if results
                    else frozenset().union(*inputs)]


@_uses.register(kinds.Filter)
@_uses.register(kinds.Split)
def _of_tests(kind, run, inputs, types):
    item = run.item(inputs[0], 0)
    for function in kind.functions:
        _tested(run, function, item)
    return lambda: [inputs[0]] * len(types)


def _tested(run: OperatorWalk, function: Function, item: Value) -> None:
    result = run.call(function, [item])
    run.step(function, lambda w, node: operations.truth(w, node, result()[0]))


@_uses.register(kinds.FlatMap)
def _of_several(kind, run, inputs, types):
    result = run.call(kind.function, [run.item(inputs[0], 0)])
    found = {"items": NOTHING}
    run.step(kind.function, lambda w, node: found.update(
        items=_each(w, node, kind.function, result)))
    return lambda: [shape_of(run.m.heap, found["items"])]


def _each(w: Walk, node: ast.AST, function: Function, result: Callable) -> Value:
    """The items of what a function gives: those that it yields, or those in what it returns."""
    returned, yielded = result()
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing):
        return UNKNOWN
    return yielded if syntax.is_generator else access.iterate(w, node, returned)


@_uses.register(kinds.Apply)
def _of_state(kind, run, inputs, types):
    given = [run.item(s, n) for n, s in enumerate(inputs)]
    if kind.stateful:
        given.insert(0, value(_state(run, kind)))
    results = [run.call(kind.function, given)]
    if kind.at_end:
        key = [run.item(shape_of_type(RecordOf(kind.key)), 0)] if kind.key else []
        results.append(run.call(kind.at_end, [*given[:1], *key]))
    if isinstance(kind, Synchronized):
        _synchronized(kind, run, given)
    _keys(kind, run, inputs)
    return lambda: [shape_of(run.m.heap, frozenset().union(*(r()[1] for r in results)))]


def _state(run: OperatorWalk, kind: kinds.Apply) -> Object:
    thing = run.state = Object("state", ("state",), kind.state, "state")
    run.m.heap.parts.setdefault(thing, {})

    def start(w, node):
        if python_method(thing, "__new__") is not None or type(kind.state) is not type(State):
            operations.own_way(w, node, kind.state.__name__)
        classes.initialise(w, node, thing, kind.state, calls.Arguments([]))
    run.step(kind.function, start)
    return thing


def _synchronized(kind: Synchronized, run: OperatorWalk, given: list[Value]) -> None:
    """The functions by which states are forked and joined, and tags are told."""
    state, items = given[0], given[1:]
    tagged = run.call(kind.tag, items) if kind.tag else None

    def tags() -> Value:
        return tagged()[0] if tagged else NOTHING
    for function in filter(None, (kind.depends,)):
        run.step(function, lambda w, node, f=function: calls.run(w, node, f.call, calls.Arguments(
            [tags() | one_of(str, int), tags() | one_of(str, int)])))
    side = value(_root("side", _is_on_this_side, "which tags a side has"))
    for fork in kind.forks:
        run.step(fork.function, lambda w, node, f=fork.function: _joined_state(
            run, calls.run(w, node, f.call, calls.Arguments([state, side, side]))))
    for join in kind.joins:
        run.step(join.function, lambda w, node, f=join.function: _joined_state(
            run, calls.run(w, node, f.call, calls.Arguments([state, state]))))


def _is_on_this_side(tag: object) -> bool:
    """What a fork may ask of a side: whether a tag goes there."""
    return tag is not None


def _joined_state(run: OperatorWalk, found: Value) -> None:
    """States that functions give are states too: what lies in them may lie in the state."""
    heap = run.m.heap
    for thing in heap.reached(found):
        if isinstance(thing, Object) and hasattr(thing.cls, "__record_initial__"):
            for name, part in list(heap.of(thing).items()):
                heap.put(run.state, name, part)


@_uses.register(kinds.Routine)
def _of_variables(kind, run, inputs, types):
    variables = []
    for number in range(kind.reads):
        thing = Object("state", ("variable", number), None, "state")
        run.m.heap.parts.setdefault(thing, {})
        variables.append(value(thing))
    if variables:
        [run.state] = variables[0]
    item = run.item(frozenset().union(*inputs), 0)
    result = run.call(kind.function, [item, one_of(int), *variables])

    def outputs() -> list[Shape]:
        walk, node = run._place(kind.function)
        found = []
        for number in range(len(types)):
            lists = access.unpacked(walk, node, result()[0], 0)
            each = access.unpacked(walk, node, lists, number)
            found.append(shape_of(run.m.heap, access.iterate(walk, node, each)))
        return found
    return outputs


@_uses.register(AggregateWindow)
def _of_folds(kind, run, inputs, types):
    item = run.item(inputs[0], 0)
    results: dict[str, Callable[[], Value]] = {}
    for name, call in kind.calls:
        results[name] = _fold(run, call, item)
    _keys(kind, run, inputs)
    if kind.window.on is not None:
        _compared(run, inputs[0], kind.window.on, next(iter(kind.functions), None))
    return lambda: [_window_shape(run, item, results, types[0], dict(kind.calls))]


@_uses.register(WatermarkWindow)
def _of_all_folds(kind, run, inputs, types):
    return _of_folds(kind.of, run, inputs, types)


def _fold(run: OperatorWalk, call, item: Value) -> Callable[[], Value]:
    fold, found = call.aggregate, {"result": NOTHING}
    state = Object("state", ("fold", fold, str(call)), fold, "self")
    run.m.heap.parts.setdefault(state, {})
    taken = run.call(call.value, [item]) if isinstance(call.value, Function) else None
    if call.where is not None:
        _tested(run, call.where, item)

    def go(w, node):
        classes.initialise(w, node, state, fold, calls.Arguments([]))
        values = taken()[0] if taken else item
        if isinstance(call.value, str):
            values = attributes.get_attribute(w, _attribute(node, call.value), item, call.value)
        for method, given in (("add", [values]), ("join", [value(state)]), ("result", [])):
            if hasattr(fold, method):
                found[method] = calls.special(w, node, state, method, *given)
    run.step(Function.of(fold.add), go)
    return lambda: found["result"]


@lru_cache(maxsize=1024)
def _attribute(node: ast.AST, name: str) -> ast.Attribute:
    made = ast.Attribute(ast.Name("item", ast.Load()), name, ast.Load())
    for part in ast.walk(made):
        ast.copy_location(part, node)
    return made


def _window_shape(run: OperatorWalk, item: Value, results: dict, declared: Type,
                  called: dict) -> Shape:
    known = shape_of_type(declared, loose=True)
    if not isinstance(declared, RecordOf):
        return known
    [tree] = known
    parts = []
    for name, shape in tree.parts:
        if name in results and not issubclass(called[name].aggregate, (WindowStart, WindowEnd)):
            shape = shape_of(run.m.heap, results[name]()) or shape
        elif name not in results:
            walk, node = run._place(None)
            own = attributes.get_attribute(walk, _attribute(node, name), item, name)
            shape = shape_of(run.m.heap, own) or shape
        parts.append((name, shape))
    return frozenset((ShapeTree(tree.cls, tuple(parts)),))


def _keys(kind: kinds.Kind, run: OperatorWalk, inputs: tuple[Shape, ...]) -> None:
    """Keys are hashed and compared: objects of the user's do that in their own way."""
    if not (isinstance(kind, kinds.Keyed) and kind.by):
        return
    for port, shape in enumerate(inputs):
        for name in kind.keys_of(port):
            if _is_plain_field(shape, name):
                continue
            item = run.item(shape, port)
            function = next(iter(kind.functions), None)
            run.step(function, lambda w, node, n=name, i=item: _key(w, node, n, i))


def _compared(run: OperatorWalk, shape: Shape, name: str, function: Function | None) -> None:
    """Times are compared: objects of the user's do that in their own way."""
    if not _is_plain_field(shape, name):
        item = run.item(shape, 0)
        run.step(function, lambda w, node: operations.equality(w, node, *[attributes.get_attribute(
            w, _attribute(node, name), item, name)] * 2, "lt"))


def _is_plain_field(shape: Shape, name: str) -> bool:
    return all(isinstance(part, ShapeTree) and all(isinstance(p, Plain) for p in dict(
        part.parts).get(name, UNKNOWN)) for part in shape) if name != "*" else all(
            isinstance(part, Plain) for part in shape)


def _key(w, node: ast.AST, name: str, item: Value) -> None:
    shown = _attribute(node, name)
    found = item if name == "*" else attributes.get_attribute(w, shown, item, name)
    operations.hashed(w, shown, found)
    operations.equality(w, shown, found, found)
