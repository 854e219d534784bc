"""The syntax of streams and statements."""

from __future__ import annotations

from lark import Token, v_args

from anabranch.errors import ProgramError
from anabranch.lang.common.reading import Reader
from anabranch.lang.streamit import syntax


class StatementReader(Reader):
    """Makes the syntax of statements."""

    @v_args(meta=True)
    def block(self, meta, children):
        return syntax.Block(self.span(meta), tuple(children))

    @v_args(meta=True)
    def empty(self, meta, children):
        return syntax.Block(self.span(meta), ())

    @v_args(meta=True)
    def if_(self, meta, children):
        return syntax.If(self.span(meta), *children)

    @v_args(meta=True)
    def while_(self, meta, children):
        return syntax.While(self.span(meta), *children)

    @v_args(meta=True)
    def do_while(self, meta, children):
        body, condition = children
        return syntax.While(self.span(meta), condition, body, at_least_once=True)

    @v_args(meta=True)
    def for_(self, meta, children):
        return syntax.For(self.span(meta), *children)

    @v_args(meta=True)
    def jump(self, meta, children):
        return syntax.Jump(self.span(meta), str(children[0]))

    @v_args(meta=True)
    def return_(self, meta, children):
        return syntax.Return(self.span(meta), children[1])

    @v_args(meta=True)
    def push(self, meta, children):
        return syntax.Push(self.span(meta), children[0])

    @v_args(meta=True)
    def enqueue(self, meta, children):
        return syntax.Enqueue(self.span(meta), children[0])

    @v_args(meta=True)
    def send(self, meta, children):
        return syntax.Refused(self.span(meta), "teleport messages")

    @v_args(meta=True)
    def evaluate(self, meta, children):
        return syntax.Evaluate(self.span(meta), children[0])

    @v_args(meta=True)
    def assign(self, meta, children):
        target, operator, value = children
        return syntax.Assign(self.span(meta), target, operator[:-1] or None, value)

    @v_args(meta=True)
    def declare(self, meta, children):
        return syntax.Declare(self.span(meta), children[0], tuple(children[1:]))

    @v_args(meta=True)
    def declarator(self, meta, children):
        return syntax.Declarator(self.span(meta), str(children[0]), children[1])

    @v_args(meta=True)
    def declare_primitive(self, meta, children):
        names = tuple(c for c in children if isinstance(c, syntax.Declarator))
        type = self.primitive(children[0], tuple(children[1:-len(names)]))
        return syntax.Declare(self.span(meta), type, names)

    @v_args(meta=True)
    def declare_struct(self, meta, children):
        """What looked like a value in front of a name is a type."""
        base, lengths = children[0], ()
        while isinstance(base, syntax.Index):
            base, lengths = base.base, (base.index, *lengths)
        if not isinstance(base, syntax.Ref):
            raise ProgramError("this is not a type", base.span)
        type = syntax.TypeText(base.span, base.name, lengths)
        return syntax.Declare(self.span(meta), type, tuple(children[1:]))

    @v_args(meta=True)
    def declare_portal(self, meta, children):
        return syntax.Refused(self.span(meta), "portals (teleport messages)")


class StreamReader(StatementReader):
    """Makes the syntax of streams."""

    @v_args(meta=True)
    def filter(self, meta, children):
        input, output, stateful, _keyword, name, parameters, *members = children
        return self._filter(self.span(name), str(name), input, output, parameters, stateful,
                            members)

    @v_args(meta=True)
    def composite(self, meta, children):
        input, output, kind, name, parameters, body = children
        return syntax.Composite(self.span(name), str(name), input, output, parameters or (),
                                str(kind), body)

    @v_args(meta=True)
    def anonymous_filter(self, meta, children):
        input, output, stateful, keyword, *members, to = children
        return to or self._filter(self.span(keyword), "", input, output, (), stateful, members)

    @v_args(meta=True)
    def anonymous_composite(self, meta, children):
        input, output, kind, body, to = children
        return to or syntax.Composite(self.span(kind), "", input, output, (), str(kind), body)

    def _filter(self, span, name, input, output, parameters, stateful, members):
        of = {kind: tuple(m for m in members if isinstance(m, kind))
              for kind in (syntax.Declare, syntax.Function)}
        parts = dict(m for m in members if isinstance(m, tuple))
        return syntax.Filter(span, name, input, output, parameters or (), stateful is not None,
                             of[syntax.Declare], of[syntax.Function], parts.get("init"),
                             parts.get("work"), parts.get("prework"))

    def init(self, children):
        return "init", children[0]

    @v_args(meta=True)
    def work(self, meta, children):
        word, rates, body = children
        return str(word), syntax.Work(self.span(word), rates, body)

    @v_args(meta=True)
    def rates(self, meta, children):
        given = dict(children)
        span = self.span(meta) if children else None
        return syntax.Rates(span, given.get("peek"), given.get("pop"), given.get("push"))

    def pushes(self, children):
        return "push", children[0]

    def pops(self, children):
        return "pop", children[0]

    def peeks(self, children):
        return "peek", children[0]

    @v_args(meta=True)
    def dynamic(self, meta, children):
        return syntax.Refused(self.span(meta), "dynamic rates")

    @v_args(meta=True)
    def function(self, meta, children):
        result, name, parameters, rates, body = children
        return syntax.Function(self.span(name), str(name), result, parameters, rates, body)

    def handler(self, children):
        """Nothing calls it: only what is added to a portal, which is refused, gets messages."""

    def parameters(self, children):
        return tuple(c for c in children if c is not None)

    @v_args(meta=True)
    def parameter(self, meta, children):
        return syntax.Parameter(self.span(meta), children[0], str(children[1]))

    @v_args(meta=True)
    def created(self, meta, children):
        name, type, arguments, to = children
        return to or syntax.Created(self.span(name), str(name), type, arguments or ())

    def to(self, children: list[Token]):
        return syntax.Refused(self.span(children[0]), "portals (teleport messages)")

    def ending(self, children):
        return children[0]

    @v_args(meta=True)
    def add(self, meta, children):
        return syntax.Add(self.span(meta), str(children[0]), children[1])

    @v_args(meta=True)
    def distribute(self, meta, children):
        return syntax.Distribute(self.span(meta), str(children[0]), children[1])

    def roundrobin(self, children):
        return children[0] or ()

    def duplicate(self, children):
        return None
