"""What a call does: to its arguments, to what is shared, and what its result may be a part of."""

from __future__ import annotations

import ast
import contextlib
import operator

from anabranch.analysis import effect_methods, known, known_arrays, shared
from anabranch.analysis.callee import Callee, Does, callee
from anabranch.analysis.effect_runs import matched, run
from anabranch.analysis.facts import EffectKind
from anabranch.analysis.objects import getters
from anabranch.analysis.roots import NEW, UNKNOWN, Value, union
from anabranch.analysis.syntax import UNRESOLVED, Missing, syntax_of
from anabranch.analysis.typed import DictOf
from anabranch.ir.types import RecordOf, without_none

HARMLESS_CONTEXTS = (contextlib.suppress, contextlib.nullcontext)


def call(walk, node: ast.Call) -> Value:
    found = walk.static(node.func)
    if found is not UNRESOLVED:
        return apply(walk, node, callee(found), found)
    if isinstance(node.func, ast.Attribute):
        return effect_methods.method(walk, node, node.func)
    return _local(walk, node)


def _local(walk, node: ast.Call) -> Value:
    """A call of a variable: an inner function has been walked, anything else is not known."""
    arguments(walk, node)
    if isinstance(node.func, ast.Name) and node.func.id in walk.inner_functions:
        return UNKNOWN
    walk.value(node.func)
    return not_resolved(walk, node, "which is known only when it runs")


def arguments(walk, node: ast.Call, items: Value | None = None) -> list[Value]:
    """The values of the arguments. A lambda is given `items`, or else what is not known."""
    plain = [*node.args, *(k.value for k in node.keywords)]
    values = {a: walk.value(a) for a in plain if not isinstance(a, ast.Lambda)}
    given = items if items is None else union([items, *(v.part() for v in values.values())])
    for argument in plain:
        if isinstance(argument, ast.Lambda):
            walk.inner(argument, UNKNOWN if given is None else given)
            values[argument] = NEW
    return [values[a].part() if isinstance(a, ast.Starred) else values[a] for a in plain]


def apply(walk, node: ast.Call, what: Callee, found: object) -> Value:
    builtin = what.does in (Does.COMPUTE, Does.COPY, Does.SELECT)
    given = arguments(walk, node, NEW if builtin else None)
    if builtin:
        called_back(walk, node, found, given)
        _written_out(walk, node, found)
        _attributes_read(walk, node, found, given)
    result = _applied(walk, node, what, found, given)
    return result | shared.remembered(node, found)


def _applied(walk, node: ast.Call, what: Callee, found: object, given: list[Value]) -> Value:
    match what.does:
        case Does.COMPUTE:
            return union([*given, *(v.part() for v in given)])
        case Does.SELECT if _is_of_items(node, found):
            return union([given[0].part(), *given[1:]])
        case Does.SELECT:
            return union(v for g in given for v in (g, g.part()))
        case Does.COPY:
            return Value.holding(v.part() for v in given)
        case Does.CHANGE if given:
            return _change_first(walk, node, given)
        case Does.MAKE:
            return _make(walk, node, what, found, given)
        case Does.RUN:
            return run(walk, what.function, node, *matched(node, given),
                       types=[walk.type(a) for a in node.args])
        case Does.EFFECT if what.effect is EffectKind.CLOCK and _has_time(node, found):
            return NEW
        case Does.EFFECT:
            return _effect(walk, node, what, found)
    return not_resolved(walk, node, "whose source cannot be found")


def _is_of_items(node: ast.Call, found: object) -> bool:
    """Whether it is the greatest or least item of its one argument."""
    return (found is max or found is min) and len(node.args) == 1 and (
        not isinstance(node.args[0], ast.Starred))


def _has_time(node: ast.Call, found: object) -> bool:
    """Whether it is told the time, and need not ask the clock."""
    needed = next((n for f, n in known.TIME_GIVEN.items() if f is found), None)
    return needed is not None and len(node.args) >= needed and not any(
        isinstance(a, ast.Starred) or (isinstance(a, ast.Constant) and a.value is None)
        for a in node.args)


def _attributes_read(walk, node: ast.Call, found: object, given: list[Value]) -> None:
    if found is getattr and isinstance(owner := without_none(walk.type(node.args[0])), RecordOf):
        walk.special(owner.cls, node, given[0], getters)


def _written_out(walk, node: ast.Call, found: object) -> None:
    """A function on arrays that is told where to put its result changes what it is given."""
    places = [k.value for k in node.keywords if k.arg == "out"]
    position = known_arrays.place_of_result(found)
    for place in places if position is None else (*places, *node.args[position:]):
        walk.change(walk.value(place), place)


def _change_first(walk, node: ast.Call, given: list[Value]) -> Value:
    of_shared = any(r.kind == "shared" for r in given[0].itself)
    if of_shared and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
        shared.assigned(walk, node, f"{ast.unparse(node.args[0])}.{node.args[1].value}")
    walk.change(given[0], node.args[0])
    for value in given[1:]:
        walk.put(node.args[0], given[0], value)
    return union([given[0], given[0].part()])


def _make(walk, node: ast.Call, what: Callee, found: object, given: list[Value]) -> Value:
    if what.function is not None:
        positional, named = matched(node, given)
        run(walk, what.function, node, [NEW, *positional], named)
    return Value.holding([*given, *shared.defaults_of(found)])


def _effect(walk, node: ast.expr, what: Callee, found: object) -> Value:
    """A function that does more; a method that changes its object is named after the object."""
    func = node.func if isinstance(node, ast.Call) else node
    name, owner = ast.unparse(func), getattr(found, "__self__", None)
    writes = what.effect is EffectKind.WRITES
    doing = known.EFFECT_WORDS.get(what.effect, "changes what it belongs to")
    named = ast.unparse(func.value) if writes and isinstance(func, ast.Attribute) else name
    walk.context.add(what.effect, named, f"calls `{name}`, which {doing}", walk.syntax.at(node),
                     frozenset((id(owner),) if writes else ()))
    return UNKNOWN


def called_back(walk, node: ast.Call, found: object, given: list[Value]) -> None:
    """A function that is given to `sorted`, `map` or the like is called with the items."""
    position = next((p for f, p in known.TAKES_FUNCTION if f is found), len(node.args))
    called = [*node.args[position:position + 1],
              *(k.value for k in node.keywords if k.arg == "key")]
    called += [a for a in (*node.args, *(k.value for k in node.keywords))
               if a not in called and _is_function(_function(walk, a))]
    items = union(v for g in given for v in (g.part(), g.part().part()))
    for argument in called:
        target = _function(walk, argument)
        if target is not UNRESOLVED and callable(target):
            _run_back(walk, argument, target, items)
        elif not _is_looked_at(walk, argument):
            not_resolved(walk, argument, "which is known only when it runs")


def _is_looked_at(walk, node: ast.expr) -> bool:
    """Whether it is a function that has been walked where it stands, or one that only looks up."""
    match node:
        case ast.Lambda() | ast.Constant():
            return True
        case ast.Name(id=name):
            return name in walk.inner_functions
        case ast.Call(func=func):
            return walk.static(func) is operator.itemgetter
        case ast.Attribute(value=owner, attr=name):
            return isinstance(walk.type(owner), DictOf) and name in known.PURE_METHODS
    return False


def _is_function(value: object) -> bool:
    """Whether a function is given away, which whoever gets it may call; classes are not called."""
    return callable(value) and not isinstance(value, type)


def _function(walk, node: ast.expr) -> object:
    """The function that an expression names, a method of a shared object too."""
    if isinstance(node, ast.Attribute):
        owner = walk.static(node.value)
        return UNRESOLVED if owner is UNRESOLVED else getattr(owner, node.attr, UNRESOLVED)
    return walk.static(node)


def _run_back(walk, node: ast.expr, target: object, items: Value) -> None:
    what = callee(target)
    if what.does is Does.RUN:
        syntax = syntax_of(what.function)
        count = 1 if isinstance(syntax, Missing) else len(syntax.parameters)
        run(walk, what.function, node, [items] * count)
    elif what.does is Does.EFFECT:
        _effect(walk, node, what, target)
    elif what.does is Does.CHANGE:
        walk.change(items, node)
    elif what.does is Does.UNKNOWN or what.function is not None:
        not_resolved(walk, node, "whose source cannot be found")


def not_resolved(walk, node: ast.expr, why: str) -> Value:
    """An unknown call may do anything, above all to the shared objects that it is given."""
    name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    where = walk.syntax.at(node)
    walk.context.unresolved(name, f"calls `{name}`, {why}", where)
    for argument in node.args if isinstance(node, ast.Call) else ():
        for root in walk.value(argument).all:
            if root.kind == "shared":
                walk.context.unresolved(root.name, f"gives {root.label} to `{name}`, {why}", where,
                                        root.identity)
    return UNKNOWN


def enter(walk, node: ast.expr) -> None:
    """`with` calls methods of the object: only a few are known to be harmless."""
    walk.value(node)
    found = walk.static(node.func) if isinstance(node, ast.Call) else UNRESOLVED
    if not any(found is c for c in HARMLESS_CONTEXTS):
        text = ast.unparse(node)
        walk.context.unresolved(text, f"enters `{text}`, whose methods are not known",
                                walk.syntax.at(node))
