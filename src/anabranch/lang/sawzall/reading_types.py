"""From the text of types to their syntax."""

from __future__ import annotations

from lark import Token, v_args

from anabranch.errors import ProgramError
from anabranch.lang.common import reading
from anabranch.lang.common.syntax import Node
from anabranch.lang.sawzall import syntax

PROTO_HELP = "read the fields of a line with saw(), splitcsvline() or matchstrs()"


class TypeReader(reading.Reader):
    """One method for each rule of types and of tables."""

    @v_args(meta=True)
    def array_type(self, meta, children):
        return syntax.ArrayKind(self.span(meta), children[2].kind)

    @v_args(meta=True)
    def map_type(self, meta, children):
        return syntax.MapKind(self.span(meta), children[1].kind, children[3].kind)

    @v_args(meta=True)
    def tuple_type(self, meta, children):
        if children[0] is not None:
            raise ProgramError("protocol buffers are not supported", self.span(children[0]),
                               help=PROTO_HELP)
        members = [c for c in children if isinstance(c, Node)]
        parts = tuple(m for m in members if isinstance(m, syntax.Part))
        return syntax.TupleKind(self.span(meta), parts,
                                tuple(m for m in members if not isinstance(m, syntax.Part)))

    @v_args(meta=True)
    def type_member(self, meta, children):
        return syntax.TypeDeclaration(self.span(meta), children[1], children[2])

    @v_args(meta=True)
    def static_member(self, meta, children):
        _, name, kind, value = children
        return syntax.Variable(self.span(meta), self.named(name), kind, value, True)

    @v_args(meta=True)
    def static_inferred(self, meta, children):
        _, name, value = children
        return syntax.Variable(self.span(meta), self.named(name), None, value, True)

    @v_args(meta=True)
    def function_type(self, meta, children):
        _, *parameters, result = children
        given = tuple(p for p in parameters if p is not None)
        return syntax.FunctionKind(self.span(meta), given, result)

    @v_args(meta=True)
    def table(self, meta, children):
        _, kind, size, *rest = children
        place = next(i for i, c in enumerate(rest) if isinstance(c, Token))
        _, value, _, weight, *attributes = rest[place:]
        return syntax.TableKind(self.span(meta), self.named(kind), size, tuple(rest[:place]), value,
                                weight, tuple(attributes))

    @v_args(meta=True)
    def part(self, meta, children):
        name, kind = children
        return syntax.Part(self.span(meta), name and self.named(name), kind)

    def named_type(self, children):
        return children[0]

    def attribute(self, children):
        return str(children[0]), children[1]

    def index(self, children):
        return children[0]
