"""From declarations to instances: the bodies of streams run, and add what is in them.

A stream's body runs here, once for each instance: loops add streams, conditions choose them, and
parameters and rates become numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.core.source import Span
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.composites import CompositeCode, Site
from anabranch.lang.streamit.coding.facts import Tally, tally
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.execution.plain import Portal, copied
from anabranch.lang.streamit.instances import (
    NEIGHBOURS,
    Branch,
    Declared,
    File,
    Leaf,
    Tapes,
    Work,
    accepts,
    gives,
)
from anabranch.lang.streamit.program import Code
from anabranch.lang.streamit.sdf.flow import Range, Rate, Rates, highest, larger, lowest, within
from anabranch.lang.streamit.types import VOID, Type, of_lengths

MOST_STREAMS = 100_000
MOST_NESTED = 1000


class Elaborator:
    """Makes instances; refuses programs that have more of them than can be meant."""

    def __init__(self, code: Code):
        self.code, self.count, self.depth = code, 0, 0
        self.declared_types = Declared(code.streams, code.kinds)
        self._functions: dict[int, dict[str, Callable]] = {}
        self._tallies: dict[tuple, Tally | None] = {}

    def top(self, stream: syntax.Stream) -> Leaf | Branch:
        return self.declared(stream, self.code.global_types, dict(self.code.globals), stream.span,
                             Tapes())

    def declared(self, stream: syntax.Stream, visible: dict[str, Type], values: dict[str, object],
                 span: Span, around: Tapes) -> Leaf | Branch:
        """An instance of a declared stream; `values` are those of the names it can see, and
        `around` has the types of its neighbours, for those that it does not declare."""
        self.depth += 1
        self.counted(span)
        types = self.declared_types.tapes(stream).completed(around)
        code = self.code.of(stream, visible, types)
        try:
            instance = (self._filter(code, values) if isinstance(code, FilterCode)
                        else self._composite(code, values, stream, types))
        except AnabranchError as error:
            raise self._as_program_error(error, span) from None
        self.depth -= 1
        return instance

    def counted(self, span: Span) -> None:
        """Refuses a program that adds streams without end."""
        self.count += 1
        if self.count > MOST_STREAMS or self.depth > MOST_NESTED:
            raise ProgramError("the program adds streams without end", span)

    @staticmethod
    def _as_program_error(error: AnabranchError, span: Span) -> AnabranchError:
        """What fails while instances are made is wrong in the program."""
        if isinstance(error, ProgramError):
            return error
        return ProgramError(error.what, error.where or span, expected=error.expected,
                            got=error.got, help=error.help)

    def _plain(self, code: FilterCode | CompositeCode) -> dict[str, Callable]:
        if id(code) not in self._functions:
            self._functions[id(code)] = code.module.plain()
        return self._functions[id(code)]

    def _filter(self, code: FilterCode, values: dict[str, object]) -> Leaf:
        functions = self._plain(code)
        environment = tuple(values[name] for name in code.environment)
        inherited = tuple(values[name] for name in code.inherited)
        fields, printed = functions["fresh"](*inherited)
        triples = functions["rates"](*environment, *fields)
        known = {n: int(v) for n, v in zip(code.environment, environment) if isinstance(v, int)}
        rates, first = (t and _rates(code, t) for t in triples)
        for work, triple in zip(code.works, triples):
            if work is not None:
                self._check_rates(work, triple, known)
        work = Work(code, functions, environment, lambda: tuple(map(copied, fields)),
                    "".join(printed))
        taken, given = functions["lengths"](*environment, *fields)
        return Leaf(code.name, work, of_lengths(code.input, taken), of_lengths(code.output, given),
                    code.span, rates, first)

    def _check_rates(self, work: syntax.Work, triple: tuple[int, int, int],
                     known: dict[str, int]) -> None:
        """Refuses a work function that does not do what its rates say, where its text tells."""
        key = (id(work), tuple(known.items()))
        if key not in self._tallies:
            self._tallies[key] = tally(work.body, known)
        found, (_, pop, push) = self._tallies[key], map(_rate, triple)
        if found is not None and not any(within(pop, a) and within(push, b)
                                         for a, b in found.ways):
            raise ProgramError("the work function does not keep to its rates", work.span,
                               expected=f"pop {pop}, push {push}", got=str(found))

    def _composite(self, code: CompositeCode, values: dict[str, object], stream: syntax.Composite,
                   types: Tapes) -> Branch:
        branch = Branch(code.kind, code.span)
        body = CompositeBody(self, code, branch, values)
        self._plain(code)["compose"](body, *(_own(values[name]) for name in code.environment))
        body.make(types)
        said = self.declared_types.tapes(stream)
        _check_declared(stream, "takes", said.input, accepts(branch))
        _check_declared(stream, "gives", said.output, gives(branch))
        return branch


def _check_declared(stream: syntax.Composite, does: str, said: Type | None,
                    found: Type | None) -> None:
    if said not in (None, VOID, found) and found is not None:
        raise ProgramError(f"the {stream.kind} {does} items of another type than it says",
                           stream.span, expected=str(said), got=str(found))


def _own(value: object) -> object:
    """A value that the body may change without changing what others see."""
    return value.copy() if hasattr(value, "copy") else value


def _rates(code: FilterCode, triple: tuple) -> Rates:
    peek, pop, push = map(_rate, triple)
    _check_bounds(code, peek, pop, push)
    has_input, has_output = code.input != VOID, code.output != VOID
    if (highest(peek) or highest(pop)) and not has_input:
        raise ProgramError("a stream without input pops nothing", code.span, got=f"pop {pop}")
    if highest(push) and not has_output:
        raise ProgramError("a stream without output pushes nothing", code.span, got=f"push {push}")
    return Rates((larger(peek, pop),) if has_input else (), (pop,) if has_input else (),
                 (push,) if has_output else ())


def _rate(value: int | tuple[int | None, int | None]) -> Rate:
    """A rate as a number, or as a range where it is not always the same."""
    if not isinstance(value, tuple):
        return int(value)
    low, high = value
    return int(low) if low is not None and low == high else Range(low or 0, high)


def _check_bounds(code: FilterCode, *rates: Rate) -> None:
    for rate in rates:
        if lowest(rate) < 0:
            raise ProgramError("a rate is negative", code.span, got=str(rate))
        if highest(rate) < lowest(rate):
            raise ProgramError("the range of a rate is empty", code.span, got=str(rate))


@dataclass(frozen=True)
class Added:
    """A stream that the body adds, with the values it is given, and the portals it listens to."""

    role: str
    site: Site
    given: dict[str, object]
    portals: tuple[Portal, ...]


class CompositeBody:
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
