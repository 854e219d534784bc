"""A filter's functions as one text: fields, rates, work, and many firings in a row.

A filter's functions as one text: its fields, its rates, its work, shared by all instances.

    fresh(environment)                                 -> fields
    rates(environment)                                 -> ((peek, pop, push), of prework or None)
    lengths(environment)                               -> of arrays on the tapes
    latencies(environment)                             -> (portal, handler, lowest, highest)...
    work(n, peek, pop, push, I, p, O, q, W, *environment, *fields) -> p, q

`work` fires n times, from place p of the input list or array on, and writes from place q on.
Arrays are held as they are; a field that is no array is held in an array of length one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.expressions import ITERATION, RANDOM
from anabranch.lang.streamit.coding.functions import FilterFacts, Kept, add_functions, signatures
from anabranch.lang.streamit.coding.lanes import has_lanes, lane_text
from anabranch.lang.streamit.coding.module import Constants, Lines, Module
from anabranch.lang.streamit.coding.records import CannotRecord, Recording
from anabranch.lang.streamit.coding.scope import Kinds, Scope, Signature, Tape, Variable
from anabranch.lang.streamit.coding.statements import Statements
from anabranch.lang.streamit.execution.printing import Piece
from anabranch.lang.streamit.types import VOID, ArrayOf, StructOf, Type, lengths


@dataclass(frozen=True, eq=False)
class FilterCode:
    """The code of a filter declaration, for whatever its parameters are.

    `kept` says how a firing changes what later ones see, if it does, and where.
    `environment` names the values from outside that it uses; `fields` are its own variables.
    `native` is the text of its firings for the compiler, in which printing is recording `pieces`;
    `lanes` gives the text for many firings side by side, if there is one; see `lane_text`.
    `handlers` has the names of what takes messages: `on_name` in the text.
    """

    name: str
    span: Span
    input: Type
    output: Type
    environment: tuple[str, ...]
    environment_types: tuple[Type, ...]
    inherited: tuple[str, ...]
    fields: tuple[tuple[str, Type], ...]
    module: Module
    kept: Kept | None
    prints: bool
    native: str
    pieces: tuple[Piece, ...]
    not_compiled: str | None
    lanes: Callable[[tuple[bool, bool]], str] | None
    structs: tuple[StructOf, ...]
    dynamic: bool
    handlers: frozenset[str]
    works: tuple[syntax.Work | None, syntax.Work | None]


class FilterCoder(FilterFacts):
    """Codes one filter declaration; `outer` has the names it can see from where it stands."""

    def __init__(self, filter: syntax.Filter, outer: dict[str, Type], kinds: Kinds,
                 helpers: dict[str, syntax.Function], names: dict[str, object],
                 input: Type, output: Type):
        super().__init__(filter, outer, kinds, helpers, input, output)
        self.lines, self.constants, self.names = Lines(), Constants(), names
        self.statements: Callable[..., Statements] = Statements

    def code(self) -> FilterCode:
        """The code of the whole filter."""
        filter = self.filter
        if filter.work is None:
            raise ProgramError("the filter has no work function", filter.span)
        self._fresh()
        self._rates()
        self._lengths()
        self._latencies()
        self._handlers()
        self._firing()
        module = Module(self.lines.text(), tuple(self.lines.spans), self.constants, self.names)
        native, pieces, not_compiled = self._native()
        return FilterCode(
            filter.name or f"filter_{filter.span.line}", filter.span, self.input, self.output,
            self.environment, tuple(self.outer[n] for n in self.environment), self.inherited,
            tuple(self.fields.items()), module, self.kept(),
            self.prints(), native, pieces, not_compiled, self._lanes if has_lanes(self) else None,
            tuple(self.structs), self.is_dynamic(), frozenset(self.handlers),
            (filter.work, filter.prework))

    def _firing(self) -> None:
        add_functions(self.functions, self._signatures(), self._scope(), self._inner)
        for name, work in (("work", self.filter.work), ("prework", self.filter.prework)):
            if work is not None:
                self._work(name, work)

    def _native(self) -> tuple[str, tuple[Piece, ...], str | None]:
        """The text to compile, in which printing is recording, and why there is none."""
        reason, pieces = self.not_compiled(), []
        if reason is not None:
            return "", (), reason
        self.lines, self.statements = Lines(), partial(Recording, pieces)
        try:
            self._firing()
        except CannotRecord:
            return "", (), "it chooses between texts"
        return self.lines.text(), tuple(pieces), None

    def _lanes(self, dense: tuple[bool, bool]) -> str:
        return lane_text(self, self.constants, self._scope(), self._arguments(), dense)

    def _scope(self) -> Scope:
        """The names that every function sees: the environment and the fields."""
        names = {n: Variable(f"e_{n}", self.outer[n], True) for n in self.environment}
        for name, type in self.fields.items():
            held = field_text(name)
            names[name] = Variable(held if isinstance(type, ArrayOf) else f"{held}[0]", type)
        return Scope(None, names)

    def _signatures(self) -> dict[str, Signature]:
        """The functions that can be called; a handler is one, too."""
        return self._handled() | signatures(self.functions, self.kinds, self._extra())

    def _handled(self) -> dict[str, Signature]:
        named = signatures(self.handlers, self.kinds, self._extra())
        return {name: replace(each, text=f"on_{name}") for name, each in named.items()}

    def _extra(self) -> tuple[str, ...]:
        """What all functions are given besides: the tapes, what is printed, the variables."""
        return ("end", "full", "I", "O", "C", "W", *self._arguments())

    def _arguments(self) -> tuple[str, ...]:
        return (*(f"e_{n}" for n in self.environment), *map(field_text, self.fields))

    def _coder(self, scope: Scope, tape: Tape | None = None) -> Statements:
        return self.statements(self.lines, scope, self.kinds, self._signatures(), self.constants,
                               tape)

    def _inner(self, scope: Scope) -> Statements:
        """What codes a function, where the places on the tapes are in an array."""
        return self._coder(scope, Tape(self.input, self.output, "C[0]", "C[1]"))

    def _fresh(self) -> None:
        """The fields as `init` leaves them."""
        arguments = ", ".join(f"e_{n}" for n in self.inherited)
        with self.lines.inside(f"def fresh({arguments}):"):
            self.lines.add("I = O = C = None; end = full = 0; W = []")
            scope = Scope(None, {**{n: Variable(f"e_{n}", self.outer[n], True)
                                    for n in self.inherited}})
            coder = self._coder(Scope(scope))
            self._begin_fields(coder)
            if self.filter.init is not None:
                coder.statement(self.filter.init)
            self.lines.add(f"return ({''.join(f'{field_text(n)}, ' for n in self.fields)}), W")

    def _begin_fields(self, coder: Statements) -> None:
        given = {each.name: each for d in self.filter.declared for each in d.declarators}
        for name, type in self.fields.items():
            node = given.get(name)
            self.lines.span = node.span if node else self.filter.span
            if node is None:
                value = {ITERATION: "0", RANDOM: "_seed()"}.get(name, f"e_{name}")
            else:
                value = coder.initial(type, node.initial, node.span)
            self._hold(name, type, value)
            held = field_text(name)
            coder.scope.names[name] = Variable(
                held if isinstance(type, ArrayOf) else f"{held}[0]", type)

    def _hold(self, name: str, type: Type, value: str) -> None:
        held = field_text(name)
        if isinstance(type, ArrayOf):
            self.lines.add(f"{held} = {value}")
        elif isinstance(type, StructOf):
            self.lines.add(f"{held} = _structures((1,), new_{type.name}); {held}[0] = {value}")
        else:
            self.lines.add(f"{held} = _zeros_{type.name}(1); {held}[0] = {value}")

    def _rates(self) -> None:
        """The rates, which may use whatever the environment has."""
        with self.lines.inside(f"def rates({', '.join(self._arguments())}):"):
            coder = self._coder(self._scope())
            texts = ["None" if work is None else self._rate_triple(coder, work)
                     for work in (self.filter.work, self.filter.prework)]
            self.lines.add(f"return {', '.join(texts)}")

    def _lengths(self) -> None:
        """How long the arrays on the tapes are."""
        with self.lines.inside(f"def lengths({', '.join(self._arguments())}):"):
            coder = self._coder(self._scope())
            texts = ["".join(f"{n if isinstance(n, int) else coder.integer(n)}, "
                             for n in lengths(type)) for type in (self.input, self.output)]
            self.lines.add(f"return ({texts[0]}), ({texts[1]})")

    def _latencies(self) -> None:
        """The messages' latencies, which are known before the program runs."""
        with self.lines.inside(f"def latencies({', '.join(self._arguments())}):"):
            coder = self._coder(self._scope())
            texts = [f"({coder.value(node.portal).text}, {node.handler!r}, {coder.latency(node)}), "
                     for node in self.sends]
            self.lines.add(f"return ({''.join(texts)})")

    def _handlers(self) -> None:
        """The functions for messages: they see the fields, but no tapes."""
        add_functions(self.handlers, self._handled(), self._scope(), self._coder)

    def _rate_triple(self, coder: Statements, work: syntax.Work) -> str:
        triple = []
        for node in (work.rates.peek, work.rates.pop, work.rates.push):
            self.lines.span = work.span
            triple.append(self._rate(coder, node))
        return f"({', '.join(triple)})"

    @staticmethod
    def _rate(coder: Statements, node: syntax.Node | None) -> str:
        """A number, or the fewest and the most."""
        if node is None:
            return "0"
        if not isinstance(node, syntax.Range):
            return coder.integer(node)
        bounds = ("None" if bound is None else coder.integer(bound)
                  for bound in (node.low, node.high))
        return f"({', '.join(bounds)})"

    def _work(self, name: str, work: syntax.Work) -> None:
        if self.boxed:
            self._boxed_work(name, work)
        else:
            self._plain_work(name, work)

    def _boxed_work(self, name: str, work: syntax.Work) -> None:
        """Places on the tapes in an array, which the functions share."""
        extra = ", ".join(self._extra())
        with self.lines.inside(f"def fire_{name}({extra}):"):
            coder = self._inner(self._scope())
            coder.result = VOID
            coder.statement(work.body)
        with self._firings(name):
            self.lines.add("C = np.zeros(2, np.int64); C[0] = p; C[1] = q")
            self.lines.add(f"fire_{name}({extra})")
            self.lines.add("p = C[0]; q = C[1]")

    def _plain_work(self, name: str, work: syntax.Work) -> None:
        """Places on the tapes and plain fields in variables of their own."""
        loaded = {n: t for n, t in self.fields.items() if not isinstance(t, (ArrayOf, StructOf))}
        scope = Scope(self._scope())
        for field, type in loaded.items():
            scope.names[field] = Variable(f"s_{field_text(field)}", type)
        with self._firings(name, {f"s_{field_text(f)}": field_text(f) for f in loaded}):
            self._coder(scope, Tape(self.input, self.output)).statement(work.body)

    def _firings(self, name: str, loaded: dict[str, str] | None = None) -> FiringLoop:
        iteration = field_text(ITERATION) if ITERATION in self.fields else None
        return FiringLoop(self.lines, name, self._arguments(), loaded or {}, iteration,
                          not self.is_dynamic())


class FiringLoop:
    """The loop over the firings, around the lines of one.

    `loaded` has the fields that are in variables meanwhile; `checked` is whether every firing keeps
    to the same rates.
    """

    def __init__(self, lines: Lines, name: str, arguments: tuple[str, ...],
                 loaded: dict[str, str], iteration: str | None, checked: bool):
        self.lines, self.name, self.arguments = lines, name, arguments
        self.loaded, self.iteration, self.checked = loaded, iteration, checked

    def __enter__(self) -> None:
        add = self.lines.add
        head = ", ".join(("n", "peek", "pop", "push", "I", "p", "O", "q", "W", *self.arguments))
        add(f"def {self.name}({head}):")
        self.lines.depth += 1
        for local, held in self.loaded.items():
            add(f"{local} = _e({held}[0])")
        add("for _n in range(n):")
        self.lines.depth += 1
        add("begin = p; end = p + peek; full = q + push")

    def __exit__(self, *failure: object) -> None:
        add = self.lines.add
        if self.checked:
            add("if p != begin + pop or q != full: _rates(p - begin, q - full + push)")
        if self.iteration:
            counter = f"s_{self.iteration}" if self.loaded else f"{self.iteration}[0]"
            add(f"{counter} = _i({counter} + 1)")
        self.lines.depth -= 1
        for local, held in self.loaded.items():
            add(f"{held}[0] = {local}")
        add("return p, q")
        self.lines.depth -= 1


def field_text(name: str) -> str:
    """The name of a field in the text."""
    return {ITERATION: "h_iter", RANDOM: "h_random"}.get(name, f"h_{name}")
