"""How many items a function gives for one call: what it yields or returns.

Outputs are counted along the paths of a function, to each way of leaving a piece of its code. An
exception that nothing catches ends the whole run, so such a path counts for nothing.

>>> str(size(ast.parse("[a, b] if p else []", mode="eval").body))
'<= 2'
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, reduce

from anabranch.analysis.fact import EXACTLY_ONE, UNBOUNDED, Interval
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
            return reduce(Interval.then, map(_comprehension_rounds, node.generators))
        case ast.SetComp(generators=generators):
            return _distinct(reduce(Interval.then, map(_comprehension_rounds, generators)))
        case ast.Call(func=ast.Name(id="range"), args=arguments):
            return _range(arguments)
    return UNBOUNDED


def _distinct(count: Interval) -> Interval:
    return Interval(min(count.low, 1), count.high)


def _comprehension_rounds(generator: ast.comprehension) -> Interval:
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
        flow = PathWalk(yields, lambda node: NOTHING, length)
    else:
        flow = PathWalk(lambda node: NOTHING, returned, length)
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


NOTHING = Interval(0, 0)
Ways = Interval | None  # None: this never happens


@dataclass(frozen=True)
class Exits:
    """The outputs so far when a piece of code is left in each way; None: never left that way.

    `peak` bounds the outputs at any point within, where an exception may interrupt it.
    """

    normal: Ways = None
    returned: Ways = None
    broken: Ways = None
    continued: Ways = None
    peak: Interval = NOTHING

    def then(self, after: Exits) -> Exits:
        """This piece, and behind its normal end another one."""
        return Exits(plus(self.normal, after.normal), *(
            either(getattr(self, way), plus(self.normal, getattr(after, way)))
            for way in ("returned", "broken", "continued")),
            either(self.peak, plus(self.normal, after.peak)))

    def either(self, other: Exits) -> Exits:
        """One of two pieces."""
        return Exits(*(either(getattr(self, way), getattr(other, way))
                       for way in ("normal", "returned", "broken", "continued", "peak")))


def plus(left: Ways, right: Ways) -> Ways:
    return None if left is None or right is None else left.plus(right)


def either(left: Ways, right: Ways) -> Ways:
    if left is None or right is None:
        return left or right
    return left.either(right)


def up_to(peak: Interval) -> Interval:
    return Interval(0, peak.high)


def passes(count: Interval) -> Exits:
    """A piece that gives so many outputs and goes on."""
    return Exits(normal=count, peak=up_to(count))


class PathWalk:
    """Walks statements. `count` says what evaluating an expression gives out, `size` what
    returning it adds, and `length` how many items iterating over it gives, if that is known."""

    def __init__(self, count: Callable[[ast.AST | None], Interval],
                 size: Callable[[ast.expr | None], Interval],
                 length: Callable[[ast.expr], int | None]):
        self.count, self.size, self.length = count, size, length

    def block(self, statements: Iterable[ast.stmt]) -> Exits:
        exits = passes(NOTHING)
        for statement in statements:
            if exits.normal is None:
                break
            exits = exits.then(self.statement(statement))
        return exits

    def statement(self, node: ast.stmt) -> Exits:
        handler = HANDLERS.get(type(node))
        return handler(self, node) if handler else passes(self.count(node))

    def _return(self, node: ast.Return) -> Exits:
        given = self.count(node.value)
        return Exits(returned=given.plus(self.size(node.value)), peak=up_to(given))

    def _break(self, node: ast.Break) -> Exits:
        return Exits(broken=NOTHING)

    def _continue(self, node: ast.Continue) -> Exits:
        return Exits(continued=NOTHING)

    def _raise(self, node: ast.Raise) -> Exits:
        return Exits(peak=up_to(self.count(node)))

    def _assert(self, node: ast.Assert) -> Exits:
        return passes(self.count(node.test))

    def _if(self, node: ast.If) -> Exits:
        branches = self.block(node.body).either(self.block(node.orelse))
        return passes(self.count(node.test)).then(branches)

    def _match(self, node: ast.Match) -> Exits:
        guards = [self.count(c.guard) for c in node.cases]
        asked = reduce(Interval.plus, map(up_to, guards), NOTHING)
        cases = [self.block(c.body) for c in node.cases]
        last = node.cases[-1]
        if last.guard is not None or not _matches_all(last.pattern):
            cases.append(passes(NOTHING))
        return passes(self.count(node.subject).plus(asked)).then(reduce(Exits.either, cases))

    def _while(self, node: ast.While) -> Exits:
        asked = self.count(node.test)
        loop = self._loop(passes(asked).then(self.block(node.body)), None)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        # The test that ends the loop is evaluated once more than the body.
        done = None if endless else plus(loop.done, asked)
        return replace(loop, done=done, peak=loop.peak.plus(asked)
                       ).then_else(self.block(node.orelse))

    def _for(self, node: ast.For) -> Exits:
        loop = self._loop(self.block(node.body), self.length(node.iter))
        return passes(self.count(node.iter)).then(loop.then_else(self.block(node.orelse)))

    def _loop(self, body: Exits, times: int | None) -> LoopExits:
        """`times` rounds of the body, or any number of them."""
        if times == 0:
            return LoopExits(NOTHING, None, None, NOTHING)
        again = either(body.normal, body.continued)
        before = _rounds(again, None if times is None else times - 1)
        done = _rounds(again, None) if times is None else _times(again, times)
        return LoopExits(done, plus(before, body.returned), plus(before, body.broken),
                    up_to(before.plus(body.peak)))

    def _with(self, node: ast.With) -> Exits:
        entered = self.count(ast.Tuple([i.context_expr for i in node.items], ast.Load()))
        body = self.block(node.body)
        # A context manager may swallow an exception: the body may end at any point.
        swallowed = replace(body, normal=either(body.normal, up_to(body.peak)))
        return passes(entered).then(swallowed)

    def _try(self, node: ast.Try) -> Exits:
        body = self.block(node.body)
        whole = body.then(self.block(node.orelse)) if node.orelse else body
        interrupted = passes(up_to(body.peak))
        for handler in node.handlers:
            whole = whole.either(interrupted.then(self.block(handler.body)))
        return _finally(whole, self.block(node.finalbody)) if node.finalbody else whole

    def _define(self, node: ast.FunctionDef) -> Exits:
        now = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        return passes(self.count(ast.Tuple(now, ast.Load())))


@dataclass(frozen=True)
class LoopExits:
    """A loop that ended by itself, was returned from, or was broken out of."""

    done: Ways
    returned: Ways
    broken: Ways
    peak: Interval

    def then_else(self, orelse: Exits) -> Exits:
        """What follows `else` runs only when the loop ended by itself."""
        ended = Exits(normal=self.done, returned=self.returned, peak=self.peak).then(orelse)
        return ended.either(Exits(normal=self.broken, peak=self.peak))


def _rounds(again: Ways, most: int | None) -> Interval:
    """What from none to so many rounds give."""
    if again is None or again.high == 0:
        return NOTHING
    return Interval(0, None if most is None or again.high is None else again.high * most)


def _times(again: Ways, times: int) -> Ways:
    """What exactly so many rounds give; never so many when none goes on to the next."""
    if again is None:
        return None
    return Interval(again.low * times, None if again.high is None else again.high * times)


def _finally(body: Exits, last: Exits) -> Exits:
    """Whatever way the body is left, `last` comes behind; its own exits win, even over errors."""
    own = replace(passes(up_to(body.peak)).then(last), normal=None)
    ways = {way: plus(getattr(body, way), last.normal)
            for way in ("normal", "returned", "broken", "continued")}
    peak = up_to(body.peak.plus(last.peak))
    for way in ("normal", "returned", "broken", "continued"):
        if (reached := getattr(body, way)) is not None:
            own = own.either(replace(passes(reached).then(last), normal=None))
    return Exits(**ways, peak=peak).either(own)


def _matches_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


HANDLERS = {
    ast.Return: PathWalk._return, ast.Break: PathWalk._break, ast.Continue: PathWalk._continue,
    ast.Raise: PathWalk._raise, ast.Assert: PathWalk._assert, ast.If: PathWalk._if,
    ast.Match: PathWalk._match, ast.While: PathWalk._while, ast.For: PathWalk._for,
    ast.With: PathWalk._with, ast.Try: PathWalk._try, ast.TryStar: PathWalk._try,
    ast.FunctionDef: PathWalk._define,
}


def falls_through(syntax: FunctionSyntax) -> bool:
    """Whether a function can end without a return."""
    nothing = PathWalk(lambda node: NOTHING, lambda node: NOTHING, lambda node: None)
    return nothing.block(syntax.body).normal is not None
