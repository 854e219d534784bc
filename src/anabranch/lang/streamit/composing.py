"""What the body of a composite adds, and the instances that are made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anabranch.errors import ProgramError
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.composites import CompositeCode, Site
from anabranch.lang.streamit.instances import Branch, File, Leaf, Work
from anabranch.lang.streamit.neighbours import NEIGHBOURS, Tapes
from anabranch.lang.streamit.running.portals import Portal
from anabranch.lang.streamit.types import VOID, Type
from anabranch.sdf.flow import Rates

if TYPE_CHECKING:
    from anabranch.lang.streamit.elaborate import Elaborator


@dataclass(frozen=True)
class Added:
    """A stream that the body adds, with the values it is given, and the portals it listens to."""

    role: str
    site: Site
    given: dict[str, object]
    portals: tuple[Portal, ...]


class Body:
    """What a composite's generated body calls."""

    def __init__(self, elaborator: Elaborator, code: CompositeCode, branch: Branch,
                 values: dict[str, object]):
        self.elaborator, self.code, self.branch, self.values = elaborator, code, branch, values
        self.added: list[Added] = []

    def add(self, role: str, number: int, given: dict[str, object],
            portals: tuple[Portal, ...] = ()) -> None:
        site = self.code.sites[number]
        self.elaborator.counted(site.span)
        self.added.append(Added(role, site, given, portals))

    def split(self, weights: tuple[int, ...] | None) -> None:
        self.branch.splitting = weights

    def join(self, weights: tuple[int, ...]) -> None:
        self.branch.joining = weights

    def enqueue(self, value: object) -> None:
        self.branch.enqueued.append(value)

    def make(self, around: Tapes) -> None:
        """Makes what was added, each with the types that its neighbours tell; the loop of a
        feedback loop comes after its body."""
        neighbours = NEIGHBOURS[self.branch.kind]
        declared = [self.elaborator.declared_types.tapes(each.site.stream) for each in self.added]
        made: dict[int, Leaf | Branch] = {}
        for index in sorted(range(len(self.added)), key=lambda i: self.added[i].role == "loop"):
            each, types = self.added[index], neighbours(index, declared, made, around)
            made[index] = self._instance(each.site, each.given, types)
            self.branch.children.append((each.role, made[index]))
            self._listen(each, made[index])

    def _instance(self, site: Site, given: dict[str, object], types: Tapes) -> Leaf | Branch:
        stream, elaborator = site.stream, self.elaborator
        if not isinstance(stream, syntax.Created):
            return elaborator.declared(stream, site.visible, {**self.values, **given}, site.span,
                                       types)
        declared = elaborator.code.streams.get(stream.name)
        if declared is None:
            return self._library(stream, given, types)
        code = elaborator.code
        return elaborator.declared(declared, code.global_types, {**code.globals, **given},
                                   site.span, types)

    def _library(self, stream: syntax.Created, given: dict[str, object], types: Tapes) -> Leaf:
        type = self._item(stream, types)
        if stream.name == "Identity":
            return Leaf("Identity", None, type, type, stream.span, Rates((1,), (1,), (1,)))
        reads = stream.name == "FileReader"
        rates = Rates((), (), (1,)) if reads else Rates((1,), (1,), ())
        return Leaf(stream.name, File(given["path"], type, reads), None if reads else type,
                    type if reads else None, stream.span, rates)

    def _item(self, stream: syntax.Created, types: Tapes) -> Type:
        """The type of the items: the one written, or that of a neighbour."""
        if stream.type is not None:
            return self.elaborator.code.kinds.of(stream.type)
        found = types.output if stream.name == "FileReader" else types.input
        if found in (None, VOID):
            raise ProgramError(f"'{stream.name}' needs a type", stream.span,
                               help=f"write {stream.name}<int>")
        return found

    @staticmethod
    def _listen(added: Added, instance: Leaf | Branch) -> None:
        if added.portals and not (isinstance(instance, Leaf) and isinstance(instance.body, Work)):
            raise ProgramError("only a filter takes messages", added.site.span)
        for portal in added.portals:
            portal.receivers.append(instance.body)
