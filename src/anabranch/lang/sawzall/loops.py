"""Statements that decide what is done, and how often: branches, loops, and `when`.

A loop that counts up to a bound that stays as it is runs over a range, and what it counts is an
index of the array whose length is the bound. `when` searches for values of quantifiers for which a
condition holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anabranch.core.errors import ProgramError
from anabranch.ir.types import BYTES, INT, STR
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.common.terms import Term, is_partial
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.syntax import counts_up, declared_in, walk
from anabranch.lang.sawzall.types import ArrayOf, MapOf, TupleOf, plain, shown
from anabranch.lang.sawzall.variables import LoopContext, text_of

PLAIN = (Literal, Name, Operation)
SMALL = 1 << 31
"""So much more than an index is never beyond 64 bits."""


class Ranging:
    """The part of the generator that writes such loops."""

    def write_range(self, node: syntax.Loop) -> bool:
        """Writes `for (i := 0; i < len(a); i++)`, if it is such a loop."""
        first = self._first(node)
        bound = node.condition.operands[1] if first is not None else None
        if bound is None or not self._stays(bound):
            return False
        ends = (text_of(first), text_of(self.checker.check_as(bound, INT)))
        text = self.names.python_name(node.first.name)
        owners = getattr(bound, "arguments", ())
        local = Local(INT, text, self.around.depth, natural=True, within=self.indexed_by(owners))
        over = f"range({', '.join(ends)})"
        if ends[0] == "0" and owners:
            local, text, over = self._over_items(local, owners[0], node.body, over)
        self.names.declare(node.first.name, local)
        self.lines.add(f"for {text} in {over}:", node.condition.span)
        self.repeated(node.body, lambda: None)
        return True

    def _over_items(self, local: Local, owner: Node, body: Node, over: str
                    ) -> tuple[Local, str, str]:
        """A loop over the indices of an array that stays as it is, as one over its items, too."""
        array = self.names.get(str(owner)) if isinstance(owner, Name) else None
        if not isinstance(array, Local) or not isinstance(plain(array.type), ArrayOf) \
                or str(owner) in self.changing.names or array.text not in local.within:
            return local, local.text, over
        item = self.names.python_name("item")
        values = text_of(self.checker.value(owner))
        return replace(local, items=(array.text, item)), f"{local.text}, {item}", \
            f"enumerate({values})"

    def _first(self, node: syntax.Loop) -> Term | None:
        """The first value of what is counted, where it is no negative number, and nothing can be
        undefined."""
        if self.ignores or self.undefines or not counts_up(node) or node.first.kind is not None \
                or not all(isinstance(each, PLAIN) for each in walk(node.first.value)) \
                or not self._is_natural(node.first.value):
            return None
        return self.checker.value(node.first.value)

    def _stays(self, bound: Node) -> bool:
        """Whether a bound is the same for all turns: a number, or the length of what is never
        assigned to."""
        if isinstance(bound, Literal):
            return bound.type == INT
        return isinstance(bound, syntax.Invoke) and str(bound.function) == "len" and \
            "len" not in self.changing.declared and len(bound.arguments) == 1 and \
            bool(self.indexed_by(bound.arguments))

    def _is_natural(self, node: Node) -> bool:
        """Whether a number is surely not negative, and far from the largest."""
        if isinstance(node, Literal):
            return node.type == INT and node.value < SMALL
        if isinstance(node, Operation):
            return node.operator == "+" and all(map(self._is_natural, node.operands))
        local = self.names.get(str(node))
        return isinstance(local, Local) and local.natural

    def indexed_by(self, owners: tuple[Node, ...], maps: bool = False) -> frozenset[str]:
        """The Python names of those among some values that are variables with a length that stays,
        or maps that keep their keys."""
        if self.ignores or self.undefines:
            return frozenset()
        names = [str(o) for o in owners if isinstance(o, Name)]
        found = [self.names.get(name) for name in names if name not in self.changing.assigned]
        return frozenset(local.text for local in found if isinstance(local, Local) and (
            isinstance(plain(local.type), MapOf if maps else ArrayOf)
            or (not maps and plain(local.type) in (STR, BYTES))))


class Controlling(Ranging):
    """The part of the generator that writes branches and loops."""

    def write_if(self, node: syntax.If) -> None:
        term = self.checker.condition(node.condition)
        test = self.evaluated(node.condition, term, "test")
        self.lines.add(f"if {test}:", node.condition.span)
        self.body(node.then)
        if node.otherwise is not None:
            unknown = self.ignores and is_partial(term)
            self.lines.add(f"elif {test} is not None:" if unknown else "else:",
                           node.otherwise.span)
            self.body(node.otherwise)

    def write_loop(self, node: syntax.Loop) -> None:
        self.names.open()
        if not self.write_range(node):
            if node.first is not None:
                self.write(node.first)
            self.lines.add("while True:", node.span)
            with self.lines.indented():
                if node.condition is not None:
                    self._leave_unless(node.condition)
            self.repeated(node.body, lambda: node.step and self.write(node.step))
        self.names.close()

    def write_doloop(self, node: syntax.DoLoop) -> None:
        self.lines.add("while True:", node.span)
        self.repeated(node.body, lambda: self._leave_unless(node.condition))

    def _leave_unless(self, condition: Node) -> None:
        test = self.evaluated(condition, self.checker.condition(condition), "test")
        self.lines.add(f"if not {test}: break", condition.span)

    def repeated(self, body: Node, each: Callable[[], None]) -> None:
        outside = list(self.names.blocks)

        def step():
            # Before a `continue`, names mean what they mean outside of the body.
            inside, self.names.blocks = self.names.blocks, [*outside, {}]
            each()
            self.names.blocks = inside
        self.around.loops.append(LoopContext(step))
        self.body(body)
        self.around.loops.pop()
        with self.lines.indented():
            step()

    def write_leave(self, node: syntax.Leave) -> None:
        if not self.around.loops:
            raise ProgramError("'break' stands only in a loop or a switch", node.span)
        self.lines.add("break", node.span)

    def write_proceed(self, node: syntax.Proceed) -> None:
        self._proceed(len(self.around.loops) - 1, node)

    def _proceed(self, level: int, node: Node) -> None:
        """Goes on with the loop; out of a switch in it first."""
        if level < 0 or all(loop.step is None for loop in self.around.loops[:level + 1]):
            raise ProgramError("'continue' stands only in a loop", node.span)
        loop = self.around.loops[level]
        if loop.step is not None:
            loop.step()
            self.lines.add("continue", node.span)
            return
        loop.used = True
        self.lines.add(f"{loop.again} = True", node.span)
        self.lines.add("break", node.span)

    def write_switch(self, node: syntax.Switch) -> None:
        """A loop that is gone through once, so that a `break` leaves it."""
        value = self.checker.value(node.value)
        if isinstance(plain(value.type), (MapOf, TupleOf)):
            raise ProgramError("a switch does not choose by this", node.value.span,
                               expected="a basic type or an array", got=shown(value.type))
        chosen, again = map(self.names.python_name, ("switch", "again"))
        with self.attempted(is_partial(value), node.span, f"{chosen} = None"):
            self.lines.add(f"{chosen} = {text_of(value)}", node.value.span)
        place = self.lines.reserve()
        self.around.loops.append(loop := LoopContext(None, again))
        unknown = self.ignores and is_partial(value)
        self.lines.add(f"while {chosen} is not None:" if unknown else "while True:", node.span)
        with self.lines.indented():
            self._cases(node, value.type, chosen)
            self.lines.add("break", node.span)
        self.around.loops.pop()
        if loop.used:
            self.lines.fill(place, f"{again} = False")
            self.lines.add(f"if {again}:", node.span)
            with self.lines.indented():
                self._proceed(len(self.around.loops) - 1, node)

    def _cases(self, node: syntax.Switch, kind, chosen: str) -> None:
        for values, block in node.cases:
            if not values:
                self.write_block(block)
                return
            tests = [text_of(self.checker.check_as(v, kind)) for v in values]
            self.lines.add(f"if {' or '.join(f'{chosen} == {t}' for t in tests)}:", block.span)
            with self.lines.indented():
                self.write_block(block)
                self.lines.add("break", block.span)


INDEXING = (syntax.Item, syntax.Slice)
Indexed = list[tuple[Node, Term]]
"""What a quantifier indexes, and the term of what that is a part of."""


class Quantifying:
    """The part of the generator that writes `when`."""

    def write_when(self, node: syntax.When) -> None:
        outer, self.around.loops = self.around.loops, []
        self.names.open()
        guarded = len(node.quantifiers) > 1 or _reaches_further(node)
        if len(node.quantifiers) == 1 and node.quantifiers[0].mode == "each":
            self._for_each(node, guarded)
        elif node.quantifiers:
            self._search(node, 0, True, guarded)
        else:
            self.write_if(syntax.If(node.span, node.condition, node.body, None))
        self.names.close()
        self.around.loops = outer

    def _for_each(self, node: syntax.When, guarded: bool) -> None:
        """Writes the search of a single quantifier for each of its values: a loop."""
        [quantifier] = node.quantifiers
        indexed = self._indexed(node, 0)
        values, united = self._values(node, 0, indexed)
        local, text, over = self._quantified(quantifier, indexed, united), "", values
        text = local.text
        if local.natural and len(indexed) == 1:
            local, text, over = self._over_items(local, indexed[0][0].value, node.body, over)
            self.names.blocks[-1][str(quantifier.name)] = local
        self.lines.add(f"for {text} in {over}:", quantifier.span)
        with self.lines.indented():
            if self.checker.is_true(node.condition):
                self.write_block(syntax.Block(node.span, (node.body,)))
            else:
                self._test(node, self.names.python_name("found"), True, guarded or united)

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
        local = self._quantified(quantifier, indexed, united)
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

    def _quantified(self, quantifier: syntax.Quantifier, indexed: Indexed, united: bool) -> Local:
        kind = self.types.value(quantifier.kind)
        text = self.names.python_name(quantifier.name)
        owners = tuple(each.value for each, _ in indexed if isinstance(each, syntax.Item))
        maps = any(isinstance(plain(term.type), MapOf) for _, term in indexed)
        # The keys of a map that gets no other value never leave it.
        within = self.indexed_by(owners, maps) if (maps or kind == INT) and not united \
            else frozenset()
        local = Local(kind, text, self.around.depth, quantifies=True,
                      natural=bool(within) and not maps, within=within)
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
        later = {str(q.name) for q in node.quantifiers[level:]} | declared_in(node.condition)
        found = []
        for each in walk((node.condition,)):
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
               for each in walk((node.condition,)) if isinstance(each, INDEXING)
               for end in _ends(each))


def _ends(node: Node) -> tuple[Node, ...]:
    return (node.index,) if isinstance(node, syntax.Item) else (node.start, node.end)


def _is(node: Node, name: str) -> bool:
    return isinstance(node, Name) and str(node) == name


def _names(nodes: tuple[Node, ...]) -> set[str]:
    return {str(node) for node in walk(nodes) if isinstance(node, Name)}
