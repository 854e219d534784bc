"""Sawing: functions of texts and of patterns, and patterns of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anabranch.errors import ProgramError
from anabranch.ir.types import FLOAT, INT, STR
from anabranch.lang.common.syntax import Literal, Node
from anabranch.lang.common.terms import Constant, Term
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.converting import built
from anabranch.lang.sawzall.running import regexes
from anabranch.lang.sawzall.running.sawing import sawyer
from anabranch.lang.sawzall.running.undefined import Undefined
from anabranch.lang.sawzall.special import argument_type, count
from anabranch.lang.sawzall.types import ArrayOf, plain, shown

if TYPE_CHECKING:
    from anabranch.lang.sawzall.checking import Checker


def _regex(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1, 2)
    wanted = plain(argument_type(checker, node.arguments[0]))
    if wanted == FLOAT and len(node.arguments) == 1:
        return Constant(STR, node.span, regexes.FLOAT)
    if wanted != INT:
        raise ProgramError("regex knows int and float", node.span, got=shown(wanted))
    bases = [getattr(a, "value", None) for a in node.arguments[1:]] or [0]
    if bases[0] not in regexes.INTEGERS:
        raise ProgramError("regex knows integers in some bases", node.span,
                           expected="the literal 0, 8, 10 or 16")
    return Constant(STR, node.span, regexes.INTEGERS[bases[0]])


def _saw(checker: Checker, node: syntax.Invoke) -> Term:
    """`saw`, `sawn` and `sawzall`, whose arguments are patterns."""
    given = list(node.arguments)
    times = {"saw": "1", "sawzall": "-1"}.get(str(node.function))
    terms = [] if times else [checker.check_as(given.pop(0), INT)] if given else []
    if len(given) < 2:
        raise ProgramError(f"{node.function} takes a text and patterns", node.span)
    text = checker.check_as(given.pop(0), STR)
    rest = given.pop() if isinstance(given[-1], syntax.Rest) else None
    between = [p.target for p in given if isinstance(p, syntax.Rest)]
    if between and times != "1":
        raise ProgramError(f"'rest' stands at the end of {node.function}", between[0].span)
    patterns = [_pattern(checker, p) for p in given]
    if times and not between and rest is None and \
            all(isinstance(pattern, Constant) for _, pattern in patterns):
        return _known(checker, node, int(times), text, patterns)
    places = "".join(f"({mode}, {{}}), " for mode, _ in patterns)
    call = f"sawn({times or '{}'}, {{}}, ({places}))"
    parts = (*terms, text, *(p for _, p in patterns))
    targets = [*between, *([] if rest is None else [rest.target])]
    setter = checker.generator.setter(targets, rest is not None) if targets else ""
    return built(ArrayOf(STR), node.span, f"{setter}({call})[0]", *parts, partial=True)


def _known(checker: Checker, node: syntax.Invoke, times: int, text: Term,
           patterns: list[tuple[int, Term]]) -> Term:
    """A saw whose patterns are all written down."""
    made = sawyer(times, tuple((mode, pattern.value) for mode, pattern in patterns))
    return built(ArrayOf(STR), node.span, f"{checker.converter.named('saw', made)}({{}})", text)


def _pattern(checker: Checker, node: Node) -> tuple[int, Term]:
    if isinstance(node, syntax.Rest):
        return regexes.REST, built(STR, node.span, "''")
    modes, value = (node.modes, node.value) if isinstance(node, syntax.Pattern) else ((), node)
    check_pattern(value)
    mode = regexes.SKIP * ("skip" in modes) | regexes.SUBMATCH * ("submatch" in modes)
    return mode, checker.check_as(value, STR)


def check_pattern(node: Node) -> None:
    """Refuses a literal that is not a regular expression."""
    if isinstance(node, Literal) and node.type == STR:
        try:
            regexes.compiled(node.value)
        except Undefined as error:
            raise ProgramError(error.what, node.span) from None


SAWS = {"regex": _regex, "saw": _saw, "sawn": _saw, "sawzall": _saw}
