"""Items and slices of arrays, texts and maps."""

from __future__ import annotations

from anabranch.errors import ProgramError
from anabranch.ir.types import BYTES, INT, STR
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.common.terms import Constant, Term
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.changing import every_node
from anabranch.lang.sawzall.converting import as_array, built
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.types import ArrayOf, MapOf, plain, shown


class Indexing:
    """The part of the checker that knows what is indexed."""

    def check_length(self, node: syntax.Length) -> Term:
        if not self.indexed:
            raise ProgramError("'$' stands only in an index", node.span)
        return built(INT, node.span, "len({})", self.indexed[-1])

    def check_item(self, node: syntax.Item) -> Term:
        owner = as_array(self.value(node.value))
        kind = plain(owner.type)
        if isinstance(kind, MapOf):
            key = self.key(node.index, kind.key)
            return built(kind.value, node.span, "entry({}, {})", owner, key, partial=True)
        owner, length = self._once(owner, node.value, node.index)
        index = self.index(node.index, length)
        if isinstance(kind, ArrayOf):
            return built(kind.item, node.span, self._item(node, index), owner, index, partial=True)
        text = "character({}, {})" if kind == STR else "item({}, {})"
        return built(INT, node.span, text, owner, index, partial=True)

    def _item(self, node: syntax.Item, index: Term) -> str:
        """How an item of an array is found: where it is simple to tell that it is there, no
        function need be called."""
        local = self.names.get(str(node.value)) if isinstance(node.value, Name) else None
        constant = isinstance(index, Constant) and index.value >= 0
        if self._is_within(node.index, local):
            return f"{local.text}[{{1}}]"
        if not isinstance(local, Local) or not (constant or isinstance(node.index, Name)):
            return "item({}, {})"
        owner = local.text
        known, there = f"{owner} is not None and " * local.unsure, "0 <= " * (not constant)
        return f"({owner}[{{1}}] if {known}{there}{{1}} < len({owner}) else item({{0}}, {{1}}))"

    def _is_within(self, index: Node, owner: object) -> bool:
        """Whether an index counts the items of a variable."""
        counts = self.names.get(str(index)) if isinstance(index, Name) else None
        return isinstance(owner, Local) and isinstance(counts, Local) and \
            owner.text in counts.within

    def _once(self, owner: Term, value: Node, *indices: Node) -> tuple[Term, Term]:
        """What is indexed, and what `$` asks for its length: a name, so that it is computed once.
        """
        if isinstance(value, Name) or not any(
                isinstance(n, syntax.Length) for n in every_node(indices)):
            return owner, owner
        name = self.names.python_name("indexed")
        named = built(owner.type, owner.span, f"({name} := {{}})", owner)
        return named, built(owner.type, owner.span, name)

    def index(self, node: Node, owner: Term) -> Term:
        """An index into a value; `$` in it is the value's length."""
        if plain(owner.type) not in (STR, BYTES) and not isinstance(plain(owner.type), ArrayOf):
            raise ProgramError("this cannot be indexed", owner.span, got=shown(owner.type))
        self.indexed.append(owner)
        term = self.check_as(node, INT)
        self.indexed.pop()
        return term

    def check_slice(self, node: syntax.Slice) -> Term:
        owner = as_array(self.value(node.value))
        owner, length = self._once(owner, node.value, node.start, node.end)
        ends = [self.index(end, length) for end in (node.start, node.end)]
        return built(owner.type, node.span, "sliced({}, {}, {})", owner, *ends)
