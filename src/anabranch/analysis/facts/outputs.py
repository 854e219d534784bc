"""How many items a function gives for one call: what it yields, or the size of what it returns.

>>> str(size(ast.parse("[a, b] if p else []", mode="eval").body))
'<= 2'
"""

from __future__ import annotations

import ast
from functools import lru_cache, reduce

from anabranch.analysis.fact import EXACTLY_ONE, UNBOUNDED, Interval
from anabranch.analysis.facts.flow import NOTHING, Exits, Flow, either, up_to
from anabranch.analysis.scope import FUNCTIONS, children, own_nodes
from anabranch.analysis.syntax import FunctionSyntax


def total(intervals) -> Interval:
    return reduce(Interval.plus, intervals, NOTHING)


@lru_cache(maxsize=4096)
def yields(node: ast.AST | None) -> Interval:
    """The yields that evaluating a node goes through."""
    match node:
        case None:
            return NOTHING
        case ast.Yield(value=value):
            return EXACTLY_ONE.plus(yields(value))
        case ast.YieldFrom(value=value):
            return yields(value).plus(size(value))
        case ast.BoolOp(values=[first, *rest]):
            return yields(first).plus(up_to(total(map(yields, rest))))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return yields(test).plus(yields(body).either(yields(orelse)))
        case ast.Compare(left=left, comparators=[first, *rest]):
            always = yields(left).plus(yields(first))
            return always.plus(up_to(total(map(yields, rest))))
        case ast.Lambda(args=arguments):
            return yields(arguments)
    return total(map(yields, children(node)))


def size(node: ast.expr | None) -> Interval:
    """How many items an expression has when it is iterated."""
    match node:
        case None:
            return NOTHING
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return total(size(i.value) if isinstance(i, ast.Starred) else EXACTLY_ONE
                         for i in items)
        case ast.Set(elts=items):
            return _distinct(size(ast.List(items)))
        case ast.Constant(value=str() | bytes() as text):
            return Interval(len(text), len(text))
        case ast.IfExp(body=body, orelse=orelse):
            return size(body).either(size(orelse))
        case ast.NamedExpr(value=value):
            return size(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return size(left).plus(size(right))
        case ast.ListComp() | ast.GeneratorExp():
            return reduce(Interval.then, map(_rounds, node.generators))
        case ast.SetComp(generators=generators):
            return _distinct(reduce(Interval.then, map(_rounds, generators)))
        case ast.Call(func=ast.Name(id="range"), args=arguments):
            return _range(arguments)
    return UNBOUNDED


def _distinct(count: Interval) -> Interval:
    return Interval(min(count.low, 1), count.high)


def _rounds(generator: ast.comprehension) -> Interval:
    count = size(generator.iter)
    return up_to(count) if generator.ifs else count


def _range(arguments: list[ast.expr]) -> Interval:
    try:
        count = len(range(*map(ast.literal_eval, arguments)))
    except (ValueError, TypeError):
        return UNBOUNDED
    return Interval(count, count)


def length(node: ast.expr) -> int | None:
    found = size(node)
    return found.low if found.low == found.high else None


def outputs(syntax: FunctionSyntax, returned=size) -> Interval:
    """The items of one call; `returned` says how many a returned expression stands for."""
    if _shadows_range(syntax):
        return UNBOUNDED
    if syntax.is_generator:
        flow = Flow(yields, lambda node: NOTHING, length)
    else:
        flow = Flow(lambda node: NOTHING, returned, length)
    exits: Exits = flow.block(syntax.body)
    ended = exits.normal if syntax.is_generator else None
    return either(ended, exits.returned) or NOTHING


def _shadows_range(syntax: FunctionSyntax) -> bool:
    """Whether `range` is used and is not Python's own."""
    used = any(isinstance(n, ast.Name) and n.id == "range" for n in own_nodes(syntax.body))
    return used and syntax.resolve("range") is not range


def unbounded_at(syntax: FunctionSyntax) -> tuple[str, ast.AST]:
    """Why there is no bound, and the expression to blame."""
    if not syntax.is_generator:
        return "the size of what it returns is not known", syntax.node
    looped = next(_looped_yields(syntax.body, False), None)
    if looped is not None:
        return "yields in a loop", looped
    sources = (n for n in own_nodes(syntax.body) if isinstance(n, ast.YieldFrom)
               and size(n.value).high is None)
    return "yields from a collection whose size is not known", next(sources, syntax.node)


def _looped_yields(nodes, inside: bool):
    """The yields in loops whose number of rounds is not known."""
    for node in nodes:
        if isinstance(node, (ast.Yield, ast.YieldFrom)) and inside:
            yield node
        if not isinstance(node, FUNCTIONS):
            endless = isinstance(node, ast.While) or (
                isinstance(node, ast.For) and length(node.iter) is None)
            yield from _looped_yields(children(node), inside or endless)
