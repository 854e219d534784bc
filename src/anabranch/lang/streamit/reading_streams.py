"""The syntax of streams and statements."""

from __future__ import annotations

from lark import Token, v_args

from anabranch.errors import ProgramError
from anabranch.lang.common.reading import Reader
from anabranch.lang.common.syntax import Call, Literal
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.types import INT


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
        """A message; without a lowest latency that is 0, and without a highest the lowest."""
        called, low, high = children
        low = low or Literal(called.span, 0, INT)
        return self._message(self.span(meta), called, (low, high or low))

    @v_args(meta=True)
    def send_at_best(self, meta, children):
        return self._message(self.span(meta), children[0], None)

    @staticmethod
    def _message(span, called, latency):
        if not (isinstance(called, Call) and len(called.function.parts) == 2):
            raise ProgramError("this is not a message", span, expected="portal.handler(...)")
        portal, handler = called.function.parts
        return syntax.Send(span, syntax.Ref(called.span, portal), handler, called.arguments,
                           latency)

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
        return self._filter(self.span(keyword), "", input, output, (), stateful, members), to

    @v_args(meta=True)
    def anonymous_composite(self, meta, children):
        input, output, kind, body, to = children
        return syntax.Composite(self.span(kind), "", input, output, (), str(kind), body), to

    def _filter(self, span, name, input, output, parameters, stateful, members):
        of = {kind: tuple(m for m in members if isinstance(m, kind))
              for kind in (syntax.Declare, syntax.Function)}
        pairs = [m for m in members if isinstance(m, tuple)]
        parts, handlers = dict(pairs), tuple(m for word, m in pairs if word == "handler")
        return syntax.Filter(span, name, input, output, parameters or (), stateful is not None,
                             of[syntax.Declare], of[syntax.Function], handlers,
                             parts.get("init"), parts.get("work"), parts.get("prework"))

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
    def any_rate(self, meta, children):
        return syntax.Range(self.span(meta), None, None)

    @v_args(meta=True)
    def range(self, meta, children):
        """The fewest items and the most; what is said to be usual in between changes nothing."""
        low, *_usual, high = [c for c in children if c is not None]
        return syntax.Range(self.span(meta), *(None if isinstance(bound, syntax.Range) else bound
                                               for bound in (low, high)))

    unbounded = any_rate

    @v_args(meta=True)
    def function(self, meta, children):
        result, name, parameters, rates, body = children
        return syntax.Function(self.span(name), str(name), result, parameters, rates, body)

    @v_args(meta=True)
    def handler(self, meta, children):
        name, parameters, body = children
        span = self.span(name)
        return "handler", syntax.Function(span, str(name), syntax.TypeText(span, "void"),
                                          parameters, syntax.Rates(span), body)

    def parameters(self, children):
        return tuple(c for c in children if c is not None)

    @v_args(meta=True)
    def parameter(self, meta, children):
        return syntax.Parameter(self.span(meta), children[0], str(children[1]))

    @v_args(meta=True)
    def created(self, meta, children):
        name, type, arguments, to = children
        return syntax.Created(self.span(name), str(name), type, arguments or ()), to

    def to(self, children: list[Token]):
        return tuple(syntax.Ref(self.span(name), str(name)) for name in children)

    def ending(self, children):
        return children[0]

    @v_args(meta=True)
    def add(self, meta, children):
        role, (stream, portals) = children
        return syntax.Add(self.span(meta), str(role), stream, portals or ())

    @v_args(meta=True)
    def distribute(self, meta, children):
        return syntax.Distribute(self.span(meta), str(children[0]), children[1])

    def roundrobin(self, children):
        return children[0] or ()

    def duplicate(self, children):
        return None
