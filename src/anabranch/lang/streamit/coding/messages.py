"""Messages: statements that send to a portal, and their latencies."""

from __future__ import annotations

from anabranch.errors import ProgramError, did_you_mean
from anabranch.lang.common.syntax import Call, Literal
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.operations import converted
from anabranch.lang.streamit.coding.places import copied
from anabranch.lang.streamit.coding.scope import Scope
from anabranch.lang.streamit.types import INT, PortalOf, Type


def as_message(node: syntax.Node, scope: Scope) -> syntax.Send | None:
    """The message that a statement sends; a call `portal.handler(...)` has the latency 0."""
    if isinstance(node, syntax.Send):
        return node
    called = node.expression if isinstance(node, syntax.Evaluate) else None
    if not (isinstance(called, Call) and len(called.function.parts) == 2):
        return None
    name, handler = called.function.parts
    variable = scope.find(name)
    if variable is None or not isinstance(variable.type, PortalOf):
        return None
    at_once = Literal(node.span, 0, INT)
    return syntax.Send(node.span, syntax.Ref(node.span, name), handler, called.arguments,
                       (at_once, at_once))


class Messages:
    """Codes messages; the names and values are those of `Expressions`."""

    def _send(self, node: syntax.Send) -> None:
        """`portal.send("handler", arguments, lowest, highest)`."""
        portal, types = self._handler(node)
        if len(types) != len(node.arguments):
            raise ProgramError(f"'{node.handler}' takes another number of values", node.span,
                               expected=str(len(types)), got=str(len(node.arguments)))
        given = [copied(converted(value, type, node.span))
                 for value, type in zip(self.values(node.arguments), types)]
        self.lines.add(f"{portal}.send({node.handler!r}, ({''.join(f'{g}, ' for g in given)}), "
                       f"{self.latency(node)})")

    def _handler(self, node: syntax.Send) -> tuple[str, tuple[Type, ...]]:
        portal = self.value(node.portal)
        if not isinstance(portal.type, PortalOf):
            raise ProgramError("messages are sent to portals", node.portal.span,
                               got=str(portal.type))
        handlers = portal.type.handlers
        if node.handler not in handlers:
            raise ProgramError(f"'{portal.type.name}' has no handler '{node.handler}'", node.span,
                               help=did_you_mean(node.handler, handlers))
        return portal.text, handlers[node.handler]

    def latency(self, node: syntax.Send) -> str:
        """The text of the lowest and the highest latency."""
        if node.latency is None:
            return "None, None"
        return ", ".join(self.integer(each) for each in node.latency)
