"""From declarations to instances, and from the tree of instances to a flat flow.

A stream's body runs here, once for each instance: loops add streams, conditions choose them, and
parameters and rates become numbers.
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.errors import AnabranchError, ProgramError
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.composites import CompositeCode
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.tallies import Tally, tally
from anabranch.lang.streamit.composing import Body
from anabranch.lang.streamit.instances import Branch, Leaf, Work, accepts, gives
from anabranch.lang.streamit.neighbours import Declared, Tapes
from anabranch.lang.streamit.program import Code
from anabranch.lang.streamit.running.plain import copied
from anabranch.lang.streamit.types import VOID, Type, of_lengths
from anabranch.sdf.flow import Rates
from anabranch.sdf.ranges import Range, Rate, highest, larger, lowest, within
from anabranch.source import Span

MOST_STREAMS = 100_000
MOST_NESTED = 120


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
        body = Body(self, code, branch, values)
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
