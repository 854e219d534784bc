"""`when`: a search for values of quantifiers for which a condition holds."""

from __future__ import annotations

from dataclasses import replace

from anabranch.errors import ProgramError
from anabranch.ir.types import INT
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.common.terms import Term, is_partial
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.assigning import text_of
from anabranch.lang.sawzall.changing import every_node
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.types import MapOf, plain, shown

INDEXING = (syntax.Item, syntax.Slice)
Indexed = list[tuple[Node, Term]]
"""What a quantifier indexes, and the term of what that is a part of."""


class Quantifying:
    """The part of the generator that writes `when`."""

    def write_when(self, node: syntax.When) -> None:
        outer, self.around.loops = self.around.loops, []
        self.names.open()
        if node.quantifiers:
            self._search(node, 0, True, len(node.quantifiers) > 1 or _reaches_further(node))
        else:
            self.write_branch(syntax.Branch(node.span, node.condition, node.body, None))
        self.names.close()
        self.around.loops = outer

    def _search(self, node: syntax.When, level: int, acts: bool, guarded: bool) -> str:
        """Writes the search from a quantifier on; gives the variable that tells its success. Where
        it is `guarded`, a condition that is undefined does not hold."""
        found = self.names.python_name("found")
        if level == len(node.quantifiers):
            self._test(node, found, acts, guarded)
            return found
        quantifier = node.quantifiers[level]
        mode, every = quantifier.mode, quantifier.mode == "all"
        indexed = self._indexed(node, level)
        values, united = self._values(node, level, indexed)
        local = self._quantified(quantifier, indexed)
        self.lines.add(f"{found} = {every}", quantifier.span)
        self.lines.add(f"for {local.text} in {values}:", quantifier.span)
        with self.lines.indented():
            inner = self._search(node, level + 1, acts and not every, guarded or united)
            self.lines.add(f"if {'not ' * every}{inner}:", quantifier.span)
            with self.lines.indented():
                self.lines.add(f"{found} = {not every}", quantifier.span)
                if mode != "each":
                    self.lines.add("break", quantifier.span)
        if every and acts:
            self._spend(node)
            self.lines.add(f"if {found}:", quantifier.span)
            self.body(node.body)
        return found

    def _spend(self, node: syntax.When) -> None:
        """What held for all values is no single value in the body."""
        block = self.names.blocks[-1]
        for name in (str(q.name) for q in node.quantifiers if q.mode == "all"):
            block[name] = replace(block[name], spent=True)

    def _quantified(self, quantifier: syntax.Quantifier, indexed: Indexed) -> Local:
        kind = self.types.value(quantifier.kind)
        text = self.names.python_name(quantifier.name)
        owners = tuple(each.value for each, _ in indexed if isinstance(each, syntax.Item))
        within = self.indexed_by(owners) if kind == INT else frozenset()
        local = Local(kind, text, self.around.depth, quantifies=True, natural=bool(within),
                      within=within)
        self.names.declare(quantifier.name, local)
        return local

    def _test(self, node: syntax.When, found: str, acts: bool, guarded: bool) -> None:
        span, term = node.condition.span, self.checker.condition(node.condition)
        if guarded and is_partial(term):
            self.lines.add("try:", span)
            with self.lines.indented():
                self.lines.add(f"{found} = {text_of(term)}", span)
            self.lines.add("except Undefined:", span)
            with self.lines.indented():
                self.lines.add(f"{found} = False", span)
        else:
            self.lines.add(f"{found} = {self.evaluated(node.condition, term, 'test')}", span)
        if acts:
            self.lines.add(f"if {found}:", span)
            self.body(node.body)

    def _values(self, node: syntax.When, level: int, indexed: Indexed) -> tuple[str, bool]:
        """Writes what computes the values of a quantifier, before its loop; gives the name for
        them, and whether they are the keys of several maps."""
        span = node.quantifiers[level].span
        maps = [isinstance(plain(term.type), MapOf) for _, term in indexed]
        if any(maps) and not all(maps):
            raise ProgramError(f"'{node.quantifiers[level].name}' indexes arrays and maps", span)
        owners = {str(each.value) if isinstance(each.value, Name) else None for each, _ in indexed}
        united = any(maps) and (None in owners or len(owners) > 1)
        texts = dict.fromkeys(_bounded(each, term) for each, term in indexed)
        name = self.names.python_name("values")
        with self.attempted(any(is_partial(term) for _, term in indexed), span, f"{name} = ()"):
            self.lines.add(f"{name} = {'united' if united else 'quantified'}({', '.join(texts)})",
                           span)
        return name, united

    def _indexed(self, node: syntax.When, level: int) -> Indexed:
        """What the quantifier indexes in the condition, which tells what values it may have."""
        quantifier = node.quantifiers[level]
        later = {str(q.name) for q in node.quantifiers[level:]}
        found = []
        for each in every_node((node.condition,)):
            known = isinstance(each, INDEXING) and not later & _names((each.value,))
            if known and any(_is(end, str(quantifier.name)) for end in _ends(each)):
                found.append((each, self.checker.value(each.value)))
        if not found:
            raise ProgramError(f"'{quantifier.name}' indexes nothing that tells its values",
                               quantifier.span, got=shown(self.types.of(quantifier.kind)),
                               help="use it as an index of an array or a map in the condition")
        return found


def _bounded(node: Node, term: Term) -> str:
    text = text_of(term)
    return text if isinstance(node, syntax.Item) else f"bounds({text})"


def _reaches_further(node: syntax.When) -> bool:
    """Whether something is indexed with more than a quantifier, so that it may not be there."""
    names = {str(quantifier.name) for quantifier in node.quantifiers}
    return any(names & _names((end,)) and not isinstance(end, Name)
               for each in every_node((node.condition,)) if isinstance(each, INDEXING)
               for end in _ends(each))


def _ends(node: Node) -> tuple[Node, ...]:
    return (node.index,) if isinstance(node, syntax.Item) else (node.start, node.end)


def _is(node: Node, name: str) -> bool:
    return isinstance(node, Name) and str(node) == name


def _names(nodes: tuple[Node, ...]) -> set[str]:
    return {str(node) for node in every_node(nodes) if isinstance(node, Name)}
