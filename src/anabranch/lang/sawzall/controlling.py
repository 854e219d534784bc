"""Statements that decide what is done, and how often."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.errors import ProgramError
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.common.terms import is_partial
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.around import Loop
from anabranch.lang.sawzall.assigning import text_of
from anabranch.lang.sawzall.changing import every_node
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.types import shown


class Controlling:
    """The part of the generator that writes branches and loops."""

    def write_branch(self, node: syntax.Branch) -> None:
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
        if node.first is not None:
            self.write(node.first)
        self.lines.add("while True:", node.span)
        with self.lines.indented():
            if node.condition is not None:
                self._leave_unless(node.condition)
        self._repeated(node.body, lambda: node.step and self.write(node.step))
        self.names.close()

    def write_doloop(self, node: syntax.DoLoop) -> None:
        self.lines.add("while True:", node.span)
        self._repeated(node.body, lambda: self._leave_unless(node.condition))

    def _leave_unless(self, condition: Node) -> None:
        test = self.evaluated(condition, self.checker.condition(condition), "test")
        self.lines.add(f"if not {test}: break", condition.span)

    def _repeated(self, body: Node, each: Callable[[], None]) -> None:
        outside = list(self.names.blocks)

        def step():
            # Before a `continue`, names mean what they mean outside of the body.
            inside, self.names.blocks = self.names.blocks, list(outside)
            each()
            self.names.blocks = inside
        self.around.loops.append(Loop(step))
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
        chosen, again = map(self.names.python_name, ("switch", "again"))
        with self.attempted(is_partial(value), node.span, f"{chosen} = None"):
            self.lines.add(f"{chosen} = {text_of(value)}", node.value.span)
        place = self.lines.reserve()
        self.around.loops.append(loop := Loop(None, again))
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

    def write_when(self, node: syntax.When) -> None:
        """Searches values of the quantifiers for which the condition holds."""
        outer, self.around.loops = self.around.loops, []
        self.names.open()
        if node.quantifiers:
            self._search(node, 0, True)
        else:
            self.write_branch(syntax.Branch(node.span, node.condition, node.body, None))
        self.names.close()
        self.around.loops = outer

    def _search(self, node: syntax.When, level: int, acts: bool) -> str:
        """Writes the search from a quantifier on; gives the variable that tells its success."""
        found = self.names.python_name("found")
        if level == len(node.quantifiers):
            self._test(node, found, acts)
            return found
        quantifier = node.quantifiers[level]
        mode, every = quantifier.mode, quantifier.mode == "all"
        ranges = self._ranges(node, level)
        local = self._quantified(quantifier)
        self.lines.add(f"{found} = {every}", quantifier.span)
        self.lines.add(f"for {local.text} in quantified({ranges}):", quantifier.span)
        with self.lines.indented():
            inner = self._search(node, level + 1, acts and not every)
            self.lines.add(f"if {'not ' * every}{inner}:", quantifier.span)
            with self.lines.indented():
                self.lines.add(f"{found} = {not every}", quantifier.span)
                if mode != "each":
                    self.lines.add("break", quantifier.span)
        if every and acts:
            self.lines.add(f"{local.text} = None", quantifier.span)
            self.lines.add(f"if {found}:", quantifier.span)
            self.body(node.body)
        return found

    def _quantified(self, quantifier: syntax.Quantifier) -> Local:
        kind = self.types.value(quantifier.kind)
        text = self.names.python_name(quantifier.name)
        unsure = quantifier.mode == "all"
        local = Local(kind, text, self.around.depth, unsure=unsure)
        self.names.declare(quantifier.name, local)
        return local

    def _test(self, node: syntax.When, found: str, acts: bool) -> None:
        term = self.checker.condition(node.condition)
        self.lines.add("try:", node.condition.span)
        with self.lines.indented():
            self.lines.add(f"{found} = {text_of(term)}", node.condition.span)
        self.lines.add("except Undefined:", node.condition.span)
        with self.lines.indented():
            self.lines.add(f"{found} = False", node.condition.span)
        if acts:
            self.lines.add(f"if {found}:", node.condition.span)
            self.body(node.body)

    def _ranges(self, node: syntax.When, level: int) -> str:
        """What the quantifier indexes in the condition, which tells what values it may have."""
        quantifier = node.quantifiers[level]
        later = {str(q.name) for q in node.quantifiers[level:]}
        found = []
        for each in every_node((node.condition,)):
            known = isinstance(each, (syntax.Item, syntax.Slice)) and not later & {
                str(n) for n in every_node((each.value,)) if isinstance(n, Name)}
            if known and _indexes(each, str(quantifier.name)):
                text = text_of(self.checker.value(each.value))
                whole = isinstance(each, syntax.Item)
                found.append(f"lambda: {text if whole else f'bounds({text})'}")
        if not found:
            raise ProgramError(f"'{quantifier.name}' indexes nothing that tells its values",
                               quantifier.span, got=shown(self.types.of(quantifier.kind)),
                               help="use it as an index of an array or a map in the condition")
        return ", ".join(dict.fromkeys(found))


def _indexes(node: syntax.Item | syntax.Slice, name: str) -> bool:
    """Whether a variable, and nothing else, is the index of an element or an end of a slice."""
    ends = (node.index,) if isinstance(node, syntax.Item) else (node.start, node.end)
    return any(isinstance(end, Name) and str(end) == name for end in ends)
