"""Which variables of a work function differ from firing to firing, and whether its way does.

Firings of a stateless filter may be computed side by side when all of them go the same way: their
conditions, indices and rounds do not depend on the items.
"""

from __future__ import annotations

from anabranch.lang.common.syntax import Call, Choice, Operation
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.builtins import NAMES
from anabranch.lang.streamit.coding.counting import root


def varying(body: syntax.Block) -> set[str]:
    """The variables whose values depend on the items."""
    found: set[str] = set()
    while True:
        grown = found | {name for name, values in _assignments(body)
                         if any(depends(value, found) for value in values)}
        if grown == found:
            return found
        found = grown


def _assignments(body: syntax.Block):
    for node in syntax.walk(body):
        if isinstance(node, syntax.Declarator) and node.initial is not None:
            yield node.name, (node.initial,)
        elif isinstance(node, syntax.Assign):
            yield root(node.target), (node.value,)


def depends(node: object, names: set[str]) -> bool:
    """Whether a value depends on the items, or on one of the variables."""
    return any(isinstance(n, (syntax.Pop, syntax.Peek))
               or (isinstance(n, syntax.Ref) and n.name in names) for n in syntax.walk(node))


def goes_one_way(body: syntax.Block, names: set[str]) -> bool:
    """Whether all firings go the same way through the body."""
    return all(_is_even(node, names) for node in syntax.walk(body))


def _is_even(node: syntax.Node, names: set[str]) -> bool:
    if isinstance(node, (syntax.If, syntax.While, syntax.For)):
        return not depends(node.condition, names)
    if isinstance(node, (syntax.Index, syntax.Peek)):
        return not depends(node.index, names) and not _steps(node.index)
    if isinstance(node, Call):
        return str(node.function) in NAMES
    if isinstance(node, Choice) or (isinstance(node, Operation) and node.operator in ("and", "or")):
        return not _steps(node) and not any(isinstance(n, syntax.Pop) for n in syntax.walk(node))
    if isinstance(node, syntax.Declare):
        arrays = bool(node.type.lengths)
        return not (arrays and any(d.name in names for d in node.declarators))
    if isinstance(node, syntax.Assign):
        single = isinstance(node.target, syntax.Ref) or root(node.target) not in names
        return single and not _steps(node.value)
    return not isinstance(node, (syntax.Return, syntax.Iteration))


def _steps(node: object) -> bool:
    return any(isinstance(n, syntax.Step) for n in syntax.walk(node))
