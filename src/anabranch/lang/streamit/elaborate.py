"""From declarations to instances, and from the tree of instances to a flat flow.

A stream's body runs here, once for each instance: loops add streams, conditions choose them, and
parameters and rates become numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.errors import AnabranchError, ProgramError
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.composites import CompositeCode, Site
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.tallies import Tally, tally
from anabranch.lang.streamit.program import Code
from anabranch.lang.streamit.running.plain import copied
from anabranch.lang.streamit.types import VOID, Type
from anabranch.sdf.flow import Rates
from anabranch.source import Span

MOST_STREAMS = 100_000
MOST_NESTED = 120


@dataclass(frozen=True)
class Work:
    """A filter with its parameters: the functions to call, and the values they are called with.

    `fresh` gives the fields as `init` left them, and `begins` is what that printed.
    """

    code: FilterCode
    functions: dict[str, Callable] = field(repr=False)
    environment: tuple = field(repr=False)
    fresh: Callable[[], tuple] = field(repr=False)
    begins: str = ""


@dataclass(frozen=True)
class Leaf:
    """An instance of a filter, of the identity, or of the end at a file."""

    name: str
    body: object
    input: Type | None
    output: Type | None
    span: Span
    rates: Rates
    first: Rates | None = None


@dataclass(frozen=True)
class File:
    """A file that is read or written, as the program names it."""

    path: str
    type: Type
    reads: bool


@dataclass
class Branch:
    """An instance of a composite stream, while its body runs and after."""

    kind: str
    span: Span
    children: list[tuple[str, Leaf | Branch]] = field(default_factory=list)
    splitting: object = ()
    joining: object = ()
    enqueued: list = field(default_factory=list)


class Elaborator:
    """Makes instances; refuses programs that have more of them than can be meant."""

    def __init__(self, code: Code):
        self.code, self.count, self.depth = code, 0, 0
        self._functions: dict[int, dict[str, Callable]] = {}
        self._tallies: dict[tuple, Tally | None] = {}

    def top(self, stream: syntax.Stream) -> Leaf | Branch:
        return self.declared(stream, self.code.global_types, dict(self.code.globals), stream.span)

    def declared(self, stream: syntax.Stream, visible: dict[str, Type], values: dict[str, object],
                 span: Span) -> Leaf | Branch:
        """An instance of a declared stream; `values` are those of the names it can see."""
        self.depth += 1
        self.counted(span)
        code = self.code.of(stream, visible)
        made = self._filter if isinstance(code, FilterCode) else self._composite
        try:
            instance = made(code, values)
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
        return Leaf(code.name, work, code.input, code.output, code.span, rates, first)

    def _check_rates(self, work: syntax.Work, triple: tuple[int, int, int],
                     known: dict[str, int]) -> None:
        """Refuses a work function that does not do what its rates say, where its text tells."""
        key = (id(work), tuple(known.items()))
        if key not in self._tallies:
            self._tallies[key] = tally(work.body, known)
        found, (_, pop, push) = self._tallies[key], triple
        if found is not None and (pop, push) not in found.ways:
            raise ProgramError("the work function does not keep to its rates", work.span,
                               expected=f"pop {pop}, push {push}", got=str(found))

    def _composite(self, code: CompositeCode, values: dict[str, object]) -> Branch:
        branch = Branch(code.kind, code.span)
        body = Body(self, code, branch, values)
        self._plain(code)["compose"](body, *(_own(values[name]) for name in code.environment))
        return branch


class Body:
    """What a composite's generated body calls."""

    def __init__(self, elaborator: Elaborator, code: CompositeCode, branch: Branch,
                 values: dict[str, object]):
        self.elaborator, self.code, self.branch, self.values = elaborator, code, branch, values

    def add(self, role: str, number: int, given: dict[str, object]) -> None:
        site = self.code.sites[number]
        self.elaborator.counted(site.span)
        self.branch.children.append((role, self._instance(site, given)))

    def _instance(self, site: Site, given: dict[str, object]) -> Leaf | Branch:
        stream, elaborator = site.stream, self.elaborator
        if not isinstance(stream, syntax.Created):
            return elaborator.declared(stream, site.visible, {**self.values, **given}, site.span)
        declared = elaborator.code.streams.get(stream.name)
        if declared is None:
            return self._library(stream, given)
        code = elaborator.code
        return elaborator.declared(declared, code.global_types, {**code.globals, **given},
                                   site.span)

    def _library(self, stream: syntax.Created, given: dict[str, object]) -> Leaf:
        if stream.type is None:
            raise ProgramError(f"'{stream.name}' needs a type", stream.span,
                               help=f"write {stream.name}<int>")
        type = self.elaborator.code.kinds.of(stream.type)
        if stream.name == "Identity":
            return Leaf("Identity", None, type, type, stream.span, Rates((1,), (1,), (1,)))
        reads = stream.name == "FileReader"
        rates = Rates((), (), (1,)) if reads else Rates((1,), (1,), ())
        return Leaf(stream.name, File(given["path"], type, reads), None if reads else type,
                    type if reads else None, stream.span, rates)

    def split(self, weights: tuple[int, ...] | None) -> None:
        self.branch.splitting = weights

    def join(self, weights: tuple[int, ...]) -> None:
        self.branch.joining = weights

    def enqueue(self, value: object) -> None:
        self.branch.enqueued.append(value)


def _own(value: object) -> object:
    """A value that the body may change without changing what others see."""
    return value.copy() if hasattr(value, "copy") else value


def _rates(code: FilterCode, triple: tuple[int, int, int]) -> Rates:
    peek, pop, push = map(int, triple)
    if min(peek, pop, push) < 0:
        raise ProgramError("a rate is negative", code.span, got=str(min(peek, pop, push)))
    has_input, has_output = code.input != VOID, code.output != VOID
    if (peek or pop) and not has_input:
        raise ProgramError("a stream without input pops nothing", code.span, got=f"pop {pop}")
    if push and not has_output:
        raise ProgramError("a stream without output pushes nothing", code.span, got=f"push {push}")
    return Rates((max(peek, pop),) if has_input else (), (pop,) if has_input else (),
                 (push,) if has_output else ())
