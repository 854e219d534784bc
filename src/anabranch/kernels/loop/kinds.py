"""What each kind of operator is in a loop.

An aggregate is the body of its `add`, so a sum is `total += x` there, and its window two numbers.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch.ir.aggregates import Aggregate, Call, WindowStart
from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.ir.keys import state_of
from anabranch.ir.operators import WHOLE_ITEM, Apply, Filter, FlatMap, Map
from anabranch.ir.records import is_plain_record
from anabranch.ir.types import Type
from anabranch.ir.windows import AggregateWindow
from anabranch.kernels.loop.body import LoopBody, is_generator
from anabranch.kernels.loop.text import (
    Item,
    LineText,
    LoopLine,
    NoLoop,
    Statements,
    Write,
    assign,
    call,
    named,
)


def line_text(operators: Sequence[Operator], given: Type, made: Type) -> LineText:
    """The loop of a line of operators, first to last; `NoLoop` when it cannot be written."""
    first = LoopLine(operators, given, made, WRITERS)
    first.behind(0, first.item())
    first.ended()
    copies = tuple(map(first.copied, range(len(first.copies))))
    return LoopLine(operators, given, made, WRITERS, copies).written()


def _filter(line: LoopLine, place: int, op: Operator, item: Item) -> Statements:
    return _where(line, place, op.kind.function, item,
                  lambda: [*line.counted(place), *line.behind(place + 1, item)])


def _where(line: LoopLine, place: int, condition: Function, item: Item, then) -> Statements:
    """What is done with the items for which a function is true."""
    function = LoopBody(line, place, condition, [item])

    def tested(value: ast.expr | None) -> Statements:
        if value is None:
            return []
        return [ast.If(function.visit(copy.deepcopy(value)), then(), [])]
    return function.block(function.syntax.body, tested)


def _map(line: LoopLine, place: int, op: Operator, item: Item) -> Statements:
    function = LoopBody(line, place, op.kind.function, [item])
    return function.block(function.syntax.body,
                          lambda value: function.given_on(value or ast.Constant(None)))


def _flat_map(line: LoopLine, place: int, op: Operator, item: Item) -> Statements:
    return _given_out(line, place, op.kind.function, [item])


def _given_out(line: LoopLine, place: int, function: Function, given: Sequence[Item]) -> Statements:
    """The items that a function yields, or gives together, handed on one by one."""
    yields = is_generator(function)
    body = LoopBody(line, place, function, given, generator=yields)

    def each(value: ast.expr | None) -> Statements:
        one = line.fresh()
        behind = line.behind(place + 1, Item(None, {"value": named(one)}))
        return [ast.For(named(one, ast.Store()), body.all_of(value or ast.Constant(None)),
                        [*line.counted(place), *behind], [])]
    return body.block(body.syntax.body, (lambda value: []) if yields else each)


def _apply(line: LoopLine, place: int, op: Operator, item: Item) -> Statements:
    if not op.kind.stateful:
        return _given_out(line, place, op.kind.function, [item])
    found, state = _state(line, place, op, item, op.kind.new_state)
    if op.kind.at_end is not None:
        line.at_end[place] = lambda: _end_of_keys(line, place, op)
    return [*found, *_given_out(line, place, op.kind.function,
                                [Item(None, {"value": state}), item])]


def _end_of_keys(line: LoopLine, place: int, op: Operator) -> Statements:
    key, state = named(f"key{place}"), named(f"state{place}")
    given = [Item(None, {"value": state})]
    if op.kind.key is not None:
        given.append(Item(None, {"value": call(line.constant(op.kind.key_item), key)}))
    both = ast.Tuple([named(each.id, ast.Store()) for each in (key, state)], ast.Store())
    items = call(ast.Attribute(named(f"s{place}"), "items", ast.Load()))
    return [ast.For(both, items, _given_out(line, place, op.kind.at_end, given) or [ast.Pass()],
                    [])]


def _state(line: LoopLine, place: int, op: Operator, item: Item, new, begin=lambda state: []
           ) -> tuple[Statements, ast.expr]:
    """Finds the state of an item's key; a `new` one begins with it."""
    if op not in line.keyed:
        line.keyed.append(op)
    name, key = f"state{place}", _key(line, op, item)
    kept, key = ([], key) if isinstance(key, (ast.Name, ast.Constant)) else (
        [(found := line.temporary(key))[0]], found[1])
    made = call(line.constant(state_of), named(f"s{place}"), key, line.constant(new))
    is_new = ast.Compare(named(name), [ast.Is()], [ast.Constant(None)])
    return [*kept, assign(name, call(named(f"get{place}"), key)),
            ast.If(is_new, [assign(name, made), *begin(named(name))], [])], named(name)


def _key(line: LoopLine, op: Operator, item: Item) -> ast.expr:
    if op.kind.by == WHOLE_ITEM:
        return line.whole(item)
    parts = [_attribute(item, path) for path in op.kind.by]
    if not parts:
        return ast.Constant(None)
    return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())


def _attribute(item: Item, path: str) -> ast.expr:
    first, *more = path.split(".")
    found = item.attribute(first)
    for name in more:
        found = ast.Attribute(found, name, ast.Load())
    return found


@dataclass(slots=True)
class Held:
    """The window of a key: its folds, how many items it has, and what is shown of its first one."""

    folds: tuple[Aggregate, ...]
    items: int = 0
    shown: tuple | None = None


def _window(line: LoopLine, place: int, op: Operator, item: Item) -> Statements:
    kind = op.kind
    if not (kind.window.by_time or kind.window.tumbling):
        raise NoLoop(f"{op.name} has windows by count that overlap", op.span)
    if not is_plain_record(kind.into):
        raise NoLoop(f"{kind.into.__name__} has methods of its own for what records do", op.span)
    if kind.window.by_time:
        return _timed(line, place, op, item)
    shown = ast.Tuple([_attribute(item, name) for name in kind.shown], ast.Load())
    found, state = _state(line, place, op, item, lambda: Held(_folds(kind)), lambda state: [
        ast.If(ast.Compare(ast.Attribute(state, "shown", ast.Load()), [ast.Is()],
                           [ast.Constant(None)]),
               [ast.Assign([ast.Attribute(state, "shown", ast.Store())], shown)], [])])
    unpacked, added = _unpacked(place, kind, state), _all_added(line, place, kind, item)
    if kind.window.partial:
        line.at_end[place] = lambda: _end_of(line, place, op, unpacked)
    return [*found, unpacked, *added,
            *([] if kind.window.whole else _closed(line, place, op, state))]


def _unpacked(place: int, kind: AggregateWindow, window: ast.expr) -> ast.stmt:
    """The folds of a window under names of their own."""
    folds = [named(f"f{place}_{n}", ast.Store()) for n in range(len(kind.calls))]
    return ast.Assign([ast.Tuple(folds, ast.Store())], ast.Attribute(window, "folds", ast.Load()))


def _all_added(line: LoopLine, place: int, kind: AggregateWindow, item: Item) -> Statements:
    """One more item for all folds; of a window's bounds nothing is folded."""
    return [stmt for n, (_, each) in enumerate(kind.calls)
            if not issubclass(each.aggregate, WindowStart)
            for stmt in _added(line, place, named(f"f{place}_{n}"), each, item)]


def _timed(line: LoopLine, place: int, op: Operator, item: Item) -> Statements:
    """Windows by time, which the operator itself opens and closes."""
    kind, window, closed = op.kind, f"w{place}", line.fresh()
    shown = ast.Dict([ast.Constant(name) for name in kind.shown],
                     [_attribute(item, name) for name in kind.shown])
    found, state = _state(line, place, op, item, kind.new_state, lambda state: [
        ast.If(ast.Compare(ast.Attribute(state, "key", ast.Load()), [ast.Is()],
                           [ast.Constant(None)]),
               [ast.Assign([ast.Attribute(state, "key", ast.Store())], shown)], [])])
    holding = line.fresh()
    both = ast.Tuple([named(holding, ast.Store()), named(closed, ast.Store())], ast.Store())
    advanced = call(line.constant(kind.windows_at), state, item.attribute(kind.window.on))
    if kind.window.partial:
        line.at_end[place] = lambda: _end_of_open(line, place, op)
    return [*found, ast.Assign([both], advanced),
            ast.For(named(window, ast.Store()), named(holding), [
                ast.AugAssign(ast.Attribute(named(window), "held", ast.Store()), ast.Add(),
                              ast.Constant(1)),
                _unpacked(place, kind, named(window)), *_all_added(line, place, kind, item)], []),
            ast.For(named(window, ast.Store()), named(closed),
                    _of_open(line, place, op, named(window)), [])]


def _end_of_open(line: LoopLine, place: int, op: Operator) -> Statements:
    state, window = f"state{place}", f"w{place}"
    states = ast.Attribute(named(f"s{place}"), "values", ast.Load())
    return [ast.For(named(state, ast.Store()), call(states), [
        ast.For(named(window, ast.Store()), ast.Attribute(named(state), "open", ast.Load()),
                _of_open(line, place, op, named(window)), [])], [])]


def _of_open(line: LoopLine, place: int, op: Operator, window: ast.expr) -> Statements:
    """The record of a window by time, handed on."""
    names = [*op.kind.shown, *(name for name, _ in op.kind.calls)]
    fields = {name: line.fresh() for name in names}
    taken = ast.Assign([ast.Tuple([named(each, ast.Store()) for each in fields.values()],
                                  ast.Store())],
                       call(line.constant(op.kind.values), named(f"state{place}"), window))
    made = Item(op.kind.into, {name: named(fields[name]) for name in op.kind.into._fields})
    return [taken, *line.counted(place), *line.behind(place + 1, made)]


def _folds(kind: AggregateWindow) -> tuple[Aggregate, ...]:
    return tuple(each.fold() for _, each in kind.calls)


def _added(line: LoopLine, place: int, fold: ast.expr, given: Call, item: Item) -> Statements:
    """One more item for a fold."""
    def then() -> Statements:
        before, value = _value(line, place, given, item)
        return [*before, *_taken(line, place, fold, given.aggregate, value)]
    return then() if given.where is None else _where(line, place, given.where, item, then)


def _value(line: LoopLine, place: int, given: Call, item: Item) -> tuple[Statements, Item]:
    """What a fold is given of an item."""
    if given.value is None:
        return [], item
    if isinstance(given.value, str):
        return [], Item(None, {"value": _attribute(item, given.value)})
    function, kept = LoopBody(line, place, given.value, [item]), line.fresh()
    before = function.block(function.syntax.body, lambda value: [
        assign(kept, function.visit(copy.deepcopy(value or ast.Constant(None))))])
    return before, Item(None, {"value": named(kept)})


def _taken(line: LoopLine, place: int, fold: ast.expr, aggregate: type[Aggregate], value: Item
           ) -> Statements:
    try:
        function = LoopBody(line, place, Function.of(aggregate.add),
                        [Item(None, {"value": fold}), value])
        return function.block(function.syntax.body, lambda value: [])
    except NoLoop:
        return [ast.Expr(call(ast.Attribute(fold, "add", ast.Load()), line.whole(value)))]


def _closed(line: LoopLine, place: int, op: Operator, state: ast.expr) -> Statements:
    """A window that is full gives its results, and the next one begins."""
    items = ast.Attribute(state, "items", ast.Load())
    is_full = ast.Compare(items, [ast.Eq()], [ast.Constant(op.kind.window.size)])
    folds = ast.Attribute(state, "folds", ast.Store())
    return [ast.AugAssign(ast.Attribute(state, "items", ast.Store()), ast.Add(), ast.Constant(1)),
            ast.If(is_full, [
                *_results(line, place, op, state),
                ast.Assign([folds], call(line.constant(_folds), line.constant(op.kind))),
                ast.Assign([ast.Attribute(state, "items", ast.Store())], ast.Constant(0))], [])]


def _end_of(line: LoopLine, place: int, op: Operator, unpacked: ast.stmt) -> Statements:
    state = named(f"state{place}")
    body = [unpacked, *_results(line, place, op, state)]
    if not op.kind.window.whole:
        body = [ast.If(ast.Attribute(state, "items", ast.Load()), body, [])]
    states = ast.Attribute(named(f"s{place}"), "values", ast.Load())
    return [ast.For(named(f"state{place}", ast.Store()), call(states), body, [])]


def _results(line: LoopLine, place: int, op: Operator, state: ast.expr) -> Statements:
    """The record of a window, handed on."""
    before, fields = [], {}
    for n, name in enumerate(op.kind.shown):
        fields[name] = ast.Subscript(ast.Attribute(state, "shown", ast.Load()), ast.Constant(n),
                                     ast.Load())
    for n, (name, _) in enumerate(op.kind.calls):
        fold = named(f"f{place}_{n}")
        kept, fields[name] = line.temporary(call(ast.Attribute(fold, "result", ast.Load())))
        before.append(kept)
    made = Item(op.kind.into, {name: fields[name] for name in op.kind.into._fields})
    return [*before, *line.counted(place), *line.behind(place + 1, made)]


WRITERS: dict[type, Write] = {
    Filter: _filter, Map: _map, FlatMap: _flat_map, Apply: _apply, AggregateWindow: _window}
