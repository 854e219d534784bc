"""Statements that decide what is done, and how often."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.errors import ProgramError
from anabranch.lang.common.syntax import Node
from anabranch.lang.common.terms import is_partial
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.around import Loop
from anabranch.lang.sawzall.assigning import text_of
from anabranch.lang.sawzall.ranging import Ranging


class Controlling(Ranging):
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
