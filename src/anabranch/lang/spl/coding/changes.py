"""What an expression changes: lines before the statement in which it stands.

Tuples do not change: to assign an attribute is to assign a new tuple.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.library import gives_more
from anabranch.lang.spl.coding.lines import Lines
from anabranch.lang.spl.coding.operations import Code
from anabranch.lang.spl.coding.scopes import Binding
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import field_name, is_list, is_string


class Changes:
    """Writes changes, for expressions whose `lines` are before them."""

    def changes(self, node: Node) -> bool:
        """Whether an expression changes a variable."""
        return any(isinstance(n, syntax.Changed) or (
            isinstance(n, syntax.Invoke) and self._changes_arguments(n)) for n in syntax.walk(node))

    def _changes_arguments(self, node: syntax.Invoke) -> bool:
        name = node.function.text.rpartition("::")[2]
        if self.module.functions.find(name):
            return name in self.module.functions.changing
        return gives_more(name, node.arguments)

    def _before(self, text: str, later: Iterable[Node], node: Node) -> str:
        """A value as it is before what is written behind it changes something."""
        if self.lines is None or not any(map(self.changes, later)):
            return text
        name = self.lines.name("was")
        self.lines.add(f"{name} = {text}", node.span)
        return name

    def _place(self, node: Node) -> Lines:
        """Where the lines of a change are written, before the statement that it stands in."""
        if self.lines is None:
            raise ProgramError("nothing can be changed here", node.span,
                               help="change it in a logic clause, and use its value here")
        return self.lines

    def settled(self, target: Node) -> Node:
        """A place whose indices change nothing, so that it can be looked at more than once."""
        if isinstance(target, syntax.Attribute):
            return replace(target, owner=self.settled(target.owner))
        if not isinstance(target, syntax.Index):
            return target
        owner, index = self.settled(target.owner), target.index
        if self.changes(index):
            code = self.value(index)
            name = self._place(index).name("at")
            self.lines.add(f"{name} = {code.text}", index.span)
            self.scope.names[f"({name})"] = Binding(code.type, name)
            index = syntax.Name(index.span, f"({name})")
        return replace(target, owner=owner, index=index)

    def store(self, target: Node, value: str, span: Span) -> None:
        """Tuples do not change: to assign an attribute is to assign a new tuple."""
        if isinstance(target, syntax.Attribute):
            owner = self.value(target.owner)
            return self.store(target.owner, self._with(owner, target.name.text, value), span)
        if isinstance(target, syntax.Index):
            owner = self.value(target.owner)
            if is_string(owner.type):
                raise ProgramError("the characters of a string cannot be assigned", target.span)
            if is_list(owner.type):
                at = f"place({owner.text}, {self.value(target.index).text})"
            else:
                at = self.fit(target.index, owner.type.parts[0], "the key")
            return self._place(target).add(f"{owner.text}[{at}] = {value}", span)
        found = self.scope.find(target.text)
        if found.whole is not None:
            whole = found.whole
            value, found = self._with(Code(whole.type, whole.text), target.text, value), whole
        return self._place(target).add(f"{found.text} = {value}", span)

    def _with(self, owner: Code, attribute: str, value: str) -> str:
        """A tuple with another value for an attribute."""
        given = [value if name == attribute else f"{owner.text}.{field_name(name)}"
                 for name, _ in owner.type.fields]
        return f"{self.module.record(owner.type)}({', '.join(given)})"

    def check_mutable(self, node: Node) -> None:
        """That something can be changed where it stands."""
        while isinstance(node, (syntax.Index, syntax.Attribute)):
            node = node.owner
        found = self.scope.find(node.text) if isinstance(node, syntax.Name) else None
        if not isinstance(found, Binding):
            raise ProgramError("this cannot be changed", node.span, expected="a variable")
        if not found.mutable:
            raise ProgramError(f"{node.text} is not mutable", node.span,
                               help="declare it with mutable")
