"""Saws in a simple program: the pieces are places in the line, found one after another."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.ir.types import INT, STR
from anabranch.lang.common.syntax import Literal, Name, Node
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast.patterns import steps_of
from anabranch.lang.sawzall.fast.sites import PIECES


class NotSimple(Exception):
    """The program is not one of those that can be compiled."""


@dataclass
class Saw:
    """The text that is sawn, the tables and the kind of search for each pattern, which of them are
    `kept`, and how many pieces are used of a saw that goes on for ever."""

    number: int
    start: str
    end: str
    searches: list[str]
    kept: list[int]
    endless: bool
    line: int
    depth: int
    used: int = 0

    def piece(self, index: int) -> tuple[str, str]:
        """The variables of where a piece begins and ends."""
        place = index if self.endless else self.kept[index]
        self.used = max(self.used, place + 1)
        return f"from{self.number}_{place}", f"to{self.number}_{place}"

    def lines(self) -> list[str]:
        """What finds the pieces that are used."""
        found, place = [], self.start
        for number in range(self.used):
            search = self.searches[0 if self.endless else number]
            ends = f"from{self.number}_{number}, to{self.number}_{number}"
            found.append(f"{' ' * self.depth}{ends} = found(data, {place}, {self.end}, {search})")
            place = f"to{self.number}_{number}"
        return found


@dataclass(kw_only=True)
class Sawing:
    """`saws` has all of them, and `tables` the patterns as text."""

    saws: list[Saw] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)

    def search(self, node: Node) -> str:
        """The pattern of a search, as the last arguments of a call."""
        steps = steps_of(node.value) if isinstance(node, Literal) and node.type == STR else None
        if steps is None:
            raise NotSimple("this regular expression")
        self.patterns += steps.arguments
        last = len(self.patterns) - 1
        return f"r{last - 1}, r{last}, {steps.fixed}"

    def write_saw(self, call: syntax.Invoke) -> str:
        """Puts a saw here; gives its number."""
        text, *patterns = call.arguments
        start, end = self.plain_text(text)
        endless = str(call.function) == "sawzall"
        plain = [p.value if isinstance(p, syntax.Pattern) else p for p in patterns]
        modes = [p.modes if isinstance(p, syntax.Pattern) else () for p in patterns]
        if any(set(mode) - {"skip"} for mode in modes) or (endless and (modes != [()])):
            raise NotSimple(f"this '{call.function}'")
        kept = [number for number, mode in enumerate(modes) if not mode]
        self.saws.append(Saw(len(self.saws), start, end, list(map(self.search, plain)), kept,
                             endless, len(self.lines), self.depth))
        return str(len(self.saws) - 1)

    def saw_of(self, node: Node) -> Saw | None:
        """The saw whose pieces a variable has."""
        kind, number = self.kinds.get(str(node), ("", "")) if isinstance(node, Name) else ("", "")
        return self.saws[int(number)] if kind == PIECES else None

    def piece(self, saw: Saw, index: Node) -> str:
        """The place of a piece, which must be there."""
        if not (isinstance(index, Literal) and index.type == INT) or index.value > 255 or (
                not saw.endless and index.value >= len(saw.kept)):
            raise NotSimple("this index")
        start, end = saw.piece(index.value)
        self.check(f"{start} >= 0")
        return f"({start}, {end})"

    def pieces(self, saw: Saw) -> str:
        """How many pieces there are."""
        if saw.endless:
            return f"pieces_in(data, {saw.start}, {saw.end}, {saw.searches[0]})"
        found = (saw.piece(index)[0] for index in range(len(saw.kept)))
        return f"({' + '.join(f'({start} >= 0)' for start in found) or '0'})"

    def finish(self) -> None:
        """Writes what finds the pieces, where the saws are."""
        for saw in reversed(self.saws):
            self.lines[saw.line:saw.line] = saw.lines()
