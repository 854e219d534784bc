"""The expressions that SQL adds to those of all languages."""

from __future__ import annotations

from datetime import datetime
from functools import reduce

from lark import v_args

from anabranch.errors import ProgramError
from anabranch.io.values import in_utc
from anabranch.ir.types import NONE, TIMESTAMP
from anabranch.lang.common import reading
from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Node, Operation
from anabranch.lang.cql.syntax import Aggregation, Compared, Exists, InQuery, Scalar

OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class ExpressionReader(reading.Reader):
    """Most of them are shorthand for what there is already: `between` for two comparisons."""

    @v_args(meta=True)
    def in_list(self, meta, children):
        operand, negated, _, values = children
        span = self.span(meta)
        if len(values) == 1 and isinstance(values[0], Scalar):
            return self._negated(negated, InQuery(span, operand, values[0].query))
        same = [Operation(span, "=", (operand, value)) for value in values]
        return self._negated(negated, reduce(lambda a, b: Operation(span, "or", (a, b)), same))

    @v_args(meta=True)
    def in_query(self, meta, children):
        operand, negated, _, query = children
        return self._negated(negated, InQuery(self.span(meta), operand, query))

    @v_args(meta=True)
    def between(self, meta, children):
        operand, negated, _, low, _, high = children
        span = self.span(meta)
        within = Operation(span, "and", (Operation(span, ">=", (operand, low)),
                                         Operation(span, "<=", (operand, high))))
        return self._negated(negated, within)

    @v_args(meta=True)
    def like(self, meta, children):
        operand, negated, _, pattern = children
        return self._negated(negated, Operation(self.span(meta), "like", (operand, pattern)))

    @v_args(meta=True)
    def is_null(self, meta, children):
        operand, _, negated, _ = children
        return self._negated(negated, Operation(self.span(meta), "is null", (operand,)))

    @v_args(meta=True)
    def quantified(self, meta, children):
        """`all` is the opposite of `any` with the opposite comparison."""
        operand, comparison, quantifier, query = children
        every, operator = quantifier.lower() == "all", reading.canonical(comparison)
        if every:
            operator = OPPOSITE[operator]
        span = self.span(meta)
        some = (InQuery(span, operand, query) if operator == "=" else
                Compared(span, operand, operator, query))
        return self._negated(every, some)

    @v_args(meta=True)
    def scalar(self, meta, children):
        return Scalar(self.span(meta), children[0])

    @v_args(meta=True)
    def exists(self, meta, children):
        return Exists(self.span(meta), children[1])

    @v_args(meta=True)
    def case(self, meta, children):
        _, subject, *branches, _, otherwise, _ = children
        if subject is not None:
            branches = [(Operation(value.span, "=", (subject, value)), result)
                        for value, result in branches]
        return Choice(self.span(meta), tuple(branches), otherwise)

    def when(self, children):
        return children[1], children[3]

    @v_args(meta=True)
    def cast(self, meta, children):
        _, operand, _, kind = children
        return Call(self.span(meta), Name(kind.span, (kind.name,)), (operand,))

    @v_args(meta=True)
    def call_of_all(self, meta, children):
        return Aggregation(self.span(meta), self.named(children[0]), None)

    @v_args(meta=True)
    def call_of_distinct(self, meta, children):
        return Aggregation(self.span(meta), self.named(children[0]), children[2], True)

    @v_args(meta=True)
    def time(self, meta, children):
        word, text = children
        if word.lower() not in ("time", "timestamp", "datetime"):
            raise ProgramError("this cannot stand here", self.span(word), expected="'time'",
                               got=f"'{word}'")
        try:
            moment = in_utc(datetime.fromisoformat(reading.unquoted(text)))
        except (ValueError, OverflowError):
            raise ProgramError("this is no time", self.span(text),
                               expected="ISO 8601, like '2024-05-01T12:00:00'") from None
        return Literal(self.span(meta), moment, TIMESTAMP)

    @v_args(meta=True)
    def null(self, meta, children):
        return Literal(self.span(meta), None, NONE)

    @staticmethod
    def _negated(negated: object, node: Node) -> Node:
        return Operation(node.span, "not", (node,)) if negated else node
