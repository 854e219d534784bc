"""Functions that would be kept longer than the variables of others that they use.

A function may use the variables of the functions around it. It is refused where such a function may
be assigned to a variable, or returned to a place, that is there when these variables are gone:

    keep: function();
    f: function() { x := 3; g: function() { x = 5; }; keep = g; };    # `g` uses `x` of `f`

Which functions a variable may have is found without regard to the order of what is done.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.lang.common.syntax import Name, Node, children, walk
from anabranch.lang.sawzall import syntax


@dataclass(eq=False)
class Known:
    """A variable, which the functions `around` it have; `function` is what it always is."""

    name: str
    around: tuple[Body, ...]
    function: Body | None = None
    contents: set[Body] = field(default_factory=set)


@dataclass(eq=False)
class Body:
    """A function: its parameters, the variables of others and the functions that it uses, and the
    functions that it may return."""

    name: str
    around: tuple[Body, ...]
    parameters: list[Known] = field(default_factory=list)
    uses: set[Known] = field(default_factory=set)
    calls: set[Body] = field(default_factory=set)
    returned: set[Body] = field(default_factory=set)

    def needs(self, seen: frozenset[Body] = frozenset()) -> set[Known]:
        """The variables of other functions that it uses, or others for it."""
        inner = (each.needs(seen | {self}) for each in self.calls - seen - {self})
        found = self.uses.union(*inner)
        return {each for each in found if self not in each.around}


@dataclass(eq=False)
class Called:
    """A call: what may be called, and what each argument may be."""

    function: list[object]
    arguments: list[list[object]]


Source = Known | Body | Called


def check_closures(statements: tuple[Node, ...]) -> None:
    """Refuses a program that may keep a function too long."""
    if any(isinstance(each, syntax.Closure) for each in walk(statements)):
        Closures(statements).check()


class Closures:
    """What flows where in a program."""

    def __init__(self, statements: tuple[Node, ...]):
        self.types = {str(n.name): n.kind for n in walk(statements)
                      if isinstance(n, syntax.TypeDeclaration)}
        self.scopes: list[dict[str, Known]] = [{}]
        self.around: tuple[Body, ...] = ()
        self.flows: list[tuple[set[Body], list[Source]]] = []
        self.calls: list[Called] = []
        self.kept: list[tuple[Span, list[Source], Known | Body]] = []
        self._visit_all(statements)
        self._settle()

    def check(self) -> None:
        for span, sources, where in self.kept:
            for body in self._bodies(sources):
                self._check(span, body, where)

    def _check(self, span: Span, body: Body, where: Known | Body) -> None:
        for used in body.needs():
            gone = where in used.around if isinstance(where, Body) else \
                used.around[-1] not in where.around
            if gone:
                what = "returned from" if isinstance(where, Body) else "kept in"
                raise ProgramError(f"the function '{body.name}' cannot be {what} '{where.name}'",
                                   span, help=f"it uses '{used.name}' of '{used.around[-1].name}', "
                                              "which is gone by then")

    def _settle(self) -> None:
        """Lets functions flow until nothing changes."""
        size = -1
        while size != (now := sum(map(len, self._sets()))):
            size = now
            for found, sources in self.flows:
                found |= self._bodies(sources)
            for call in self.calls:
                for body in self._bodies(call.function):
                    for parameter, given in zip(body.parameters, call.arguments):
                        parameter.contents |= self._bodies(given)

    def _sets(self) -> Iterable[set[Body]]:
        yield from (found for found, _ in self.flows)
        for call in self.calls:
            for body in self._bodies(call.function):
                yield from (parameter.contents for parameter in body.parameters)

    def _bodies(self, sources: Iterable[Source]) -> set[Body]:
        found: set[Body] = set()
        for each in sources:
            if isinstance(each, Body):
                found.add(each)
            elif isinstance(each, Known):
                found |= each.contents
            else:
                found = found.union(*(body.returned for body in self._bodies(each.function)))
        return found

    def _visit_all(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._visit(node)

    def _visit(self, node: Node) -> None:
        if isinstance(node, (syntax.Block, syntax.Loop, syntax.When, syntax.StatementExpression)):
            self.scopes.append({str(q.name): Known(str(q.name), self.around)
                                for q in getattr(node, "quantifiers", ())})
            self._visit_all(children(node))
            self.scopes.pop()
        elif isinstance(node, syntax.Variable):
            self._variable(node)
        elif isinstance(node, (syntax.Assign, syntax.Return)):
            self._keeps(node)
        elif isinstance(node, syntax.TypeDeclaration):
            return
        else:
            self._sources(node)

    def _variable(self, node: syntax.Variable) -> None:
        # What is static stays, wherever it is declared.
        known = Known(str(node.name), () if node.static else self.around)
        if isinstance(node.value, syntax.Closure):
            self.scopes[-1][known.name] = known
            known.function = self._body(node.value, known.name)
            known.contents.add(known.function)
            return
        sources = [] if node.value is None else self._sources(node.value)
        self.scopes[-1][known.name] = known
        self.flows.append((known.contents, sources))

    def _keeps(self, node: syntax.Assign | syntax.Return) -> None:
        sources = [] if node.value is None else self._sources(node.value)
        if isinstance(node, syntax.Assign):
            self._sources(node.target)
            where = self._known(syntax.root(node.target))
        else:
            where = self.around[-1] if self.around else None
        if where is not None:
            self.flows.append((where.contents if isinstance(where, Known) else where.returned,
                               sources))
            self.kept.append((node.span, sources, where))

    def _body(self, node: syntax.Closure, name: str) -> Body:
        body = Body(name, self.around)
        outer, self.around = self.around, (*self.around, body)
        kind = node.kind
        while isinstance(kind, Name) and str(kind) in self.types:
            kind = self.types[str(kind)]
        parts = kind.parameters if isinstance(kind, syntax.FunctionKind) else ()
        body.parameters = [Known(str(part.name), self.around) for part in parts]
        self.scopes.append({each.name: each for each in body.parameters})
        self._visit_all(node.body.statements)
        self.scopes.pop()
        self.around = outer
        return body

    def _known(self, name: str | None) -> Known | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def _sources(self, node: Node) -> list[Source]:
        """What a value may be, or have in it."""
        if isinstance(node, syntax.Closure):
            return [self._body(node, "function")]
        if isinstance(node, Name):
            return self._used(self._known(str(node)))
        if isinstance(node, syntax.Invoke):
            return self._called(node)
        if isinstance(node, syntax.StatementExpression):
            self._visit(node)
            return []
        inner = [self._sources(each) if not isinstance(each, STATEMENTS) else self._done(each)
                 for each in children(node)]
        if isinstance(node, syntax.PARTS):
            return inner[0]
        return [source for sources in inner for source in sources]

    def _done(self, node: Node) -> list[Source]:
        self._visit(node)
        return []

    def _used(self, known: Known | None) -> list[Source]:
        """A variable, which is used by all functions that are between it and this place."""
        if known is None:
            return []
        for body in self.around[len(known.around):] if known.around else ():
            if known.function is None:
                body.uses.add(known)
            else:
                body.calls.add(known.function)
        return [known]

    def _called(self, node: syntax.Invoke) -> list[Source]:
        function, arguments = self._sources(node.function), list(map(self._sources, node.arguments))
        if not function:
            # A function of the library may give what it was given.
            return [source for sources in arguments for source in sources]
        self.calls.append(Called(function, arguments))
        return [self.calls[-1]]


STATEMENTS = (syntax.Block, syntax.Variable, syntax.Assign, syntax.Return, syntax.Loop, syntax.When)

