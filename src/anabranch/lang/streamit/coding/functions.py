"""Functions and filters before their text is made: what they call, use and change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.lang.common.syntax import Call
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.expressions import ITERATION, RANDOM
from anabranch.lang.streamit.coding.facts import assigned, calls, root
from anabranch.lang.streamit.coding.operations import PRINTING
from anabranch.lang.streamit.coding.scope import Kinds, Scope, Signature, Variable, is_plain
from anabranch.lang.streamit.coding.statements import Statements, as_message
from anabranch.lang.streamit.types import (
    INT,
    SEED,
    VOID,
    ArrayOf,
    PortalOf,
    StructOf,
    Type,
    base_of,
)

Functions = dict[str, syntax.Function]
Kept = tuple[str, Span]


def reached(helpers: Functions, bodies: tuple, own: Functions) -> Functions:
    """The functions of helper packages that bodies call, and that these call."""
    found, waiting = {}, sorted(calls(bodies))
    while waiting:
        name = waiting.pop()
        if name in helpers and name not in found and name not in own:
            found[name] = helpers[name]
            inner = sorted(calls(helpers[name].body))
            waiting += [*inner, *(f"{package_of(name)}.{each}" for each in inner)]
    return found


def package_of(name: str) -> str:
    """The helper package of a function, "" for one of a filter.

    >>> package_of("Maths.twice"), package_of("next")
    ('Maths', '')
    """
    return name.rpartition(".")[0]


def changed_by(functions: Functions) -> dict[str, frozenset[int]]:
    """For each function, the parameters that it changes, itself or by a function that it calls."""
    found = {name: frozenset(i for i, p in enumerate(f.parameters) if p.name in assigned(f.body))
             for name, f in functions.items()}
    while True:
        grown = {name: found[name] | {i for i, p in enumerate(f.parameters)
                                      if p.name in passed(f.body, found, package_of(name))}
                 for name, f in functions.items()}
        if grown == found:
            return found
        found = grown


def passed(node: object, changes: dict[str, frozenset[int]], package: str = "") -> set[str]:
    """The variables that are handed to functions which change them."""
    return {root(argument) for call, name in _called(node, changes, package)
            for place, argument in enumerate(call.arguments)
            if place in changes[name]} - {""}


def _called(node: object, known: dict, package: str) -> Iterator[tuple[Call, str]]:
    for each in syntax.walk(node):
        if isinstance(each, Call):
            name = str(each.function)
            name = name if name in known else f"{package}.{name}"
            if name in known:
                yield each, name


def signatures(functions: Functions, kinds: Kinds, extra: tuple[str, ...] = ()
               ) -> dict[str, Signature]:
    """How functions are called; `extra` is what all of them are given besides."""
    changes = changed_by(functions)
    return {name: Signature(f"f_{name.replace('.', '_')}",
                            tuple(kinds.of(p.type) for p in f.parameters),
                            kinds.of(f.result, may_be_void=True), extra, changes[name])
            for name, f in functions.items()}


def add_functions(functions: Functions, signatures: dict[str, Signature], scope: Scope,
                  coder: Callable[[Scope], Statements]) -> None:
    """Adds the text of functions that see the names of a scope."""
    for name, function in functions.items():
        _add(function, signatures[name], coder(Scope(scope)), package_of(name))


def _add(function: syntax.Function, signature: Signature, coder: Statements, package: str) -> None:
    lines, names = coder.lines, []
    for parameter, type in zip(function.parameters, signature.parameters):
        names.append(lines.name(parameter.name))
        coder.scope.declare(parameter.name, Variable(names[-1], type), parameter.span)
    with lines.inside(f"def {signature.text}({', '.join((*names, *signature.extra))}):"):
        coder.result, coder.package = signature.result, package
        coder.statement(function.body)
        if signature.result != VOID:
            lines.add("_no_value()")


class FilterFacts:
    """Facts about one filter declaration, where `outer` has the names that it can see."""

    def __init__(self, filter: syntax.Filter, outer: dict[str, Type], kinds: Kinds,
                 helpers: dict[str, syntax.Function], input: Type, output: Type):
        self.filter, self.outer, self.kinds = filter, outer, kinds
        self.input, self.output = input, output
        self.own = {f.name: f for f in filter.functions}
        self.helpers = reached(helpers, self._bodies(), self.own)
        self.functions = self.own | self.helpers
        self.handlers = {f.name: f for f in filter.handlers}
        self.changes = changed_by(self.handlers | self.functions)
        self.fields = self._fields()
        self.environment = tuple(n for n in self._used() if n in outer and n not in self.fields)
        self.boxed = self.is_boxed()

    def _fields(self) -> dict[str, Type]:
        """The filter's own variables; a parameter that is assigned is one as well."""
        found: dict[str, Type] = {}
        for declare in self.filter.declared:
            type = self.kinds.of(declare.type)
            for each in declare.declarators:
                if each.name in found:
                    raise ProgramError(f"'{each.name}' is declared twice", each.span)
                found[each.name] = type
        changed = self._changed(self._bodies())
        for parameter in self.filter.parameters:
            if parameter.name in changed and parameter.name not in found:
                found[parameter.name] = self.kinds.of(parameter.type)
        if any(isinstance(n, syntax.Iteration) for n in syntax.walk(self._bodies())):
            found[ITERATION] = INT
        if "random" in calls((*self._bodies(), tuple(self.helpers.values()))):
            found[RANDOM] = ArrayOf(SEED)
        return found

    def _changed(self, bodies: tuple) -> set[str]:
        """The names that are assigned, or handed to functions that change them."""
        return assigned(bodies) | passed(bodies, self.changes)

    def _bodies(self) -> tuple:
        works = (self.filter.work, self.filter.prework)
        return (self.filter.init, *(w.body for w in works if w),
                *(f.body for f in (*self.filter.functions, *self.filter.handlers)))

    def _used(self) -> list[str]:
        filter = self.filter
        everything = (filter.declared, filter.init, filter.work, filter.prework,
                      filter.handlers, tuple(self.functions.values()))
        nodes = list(syntax.walk(everything))
        names = [n.name for n in nodes if isinstance(n, syntax.Ref)]
        # A message looks like a call of a helper function until portals are known.
        names += [n.function.parts[0] for n in nodes if isinstance(n, Call)
                  and isinstance(self.outer.get(n.function.parts[0]), PortalOf)]
        parameters = [p.name for p in filter.parameters]
        return list(dict.fromkeys((*(p for p in parameters if p in names), *names)))

    def is_boxed(self) -> bool:
        """Whether functions share fields and tapes, so that all of them use the same places."""
        works = [w.body for w in (self.filter.work, self.filter.prework) if w]
        returns = any(isinstance(n, syntax.Return) for n in syntax.walk(tuple(works)))
        return returns or bool(calls(tuple(works)))

    def kept(self) -> Kept | None:
        """How a firing changes what later firings see, if it does, and where."""
        if RANDOM in self.fields:
            return "it draws random numbers, one after another", self.filter.span
        if ITERATION in self.fields:
            return "it counts its firings: iter()", self.filter.span
        works = [w.body for w in (self.filter.work, self.filter.prework) if w]
        bodies = tuple(works + [f.body for f in (*self.functions.values(), *self.filter.handlers)])
        # A local variable of a field's name hides what happens to the field, and counts as changed.
        changed = self._changed(bodies) & set(self.fields)
        if changed:
            return self._changing(bodies, changed)
        return ("it is declared to be stateful", self.filter.span) if self.filter.stateful else None

    def _changing(self, bodies: tuple, names: set[str]) -> Kept:
        """The first place where a field is changed."""
        for node in syntax.walk(bodies):
            name = (root(node.target) if isinstance(node, (syntax.Assign, syntax.Step)) else
                    next(iter(passed(node, self.changes)), "") if isinstance(node, Call) else "")
            if name in names:
                return f"it changes its variable {name}", node.span
        return f"it changes its variable {min(names)}", self.filter.span

    def prints(self) -> bool:
        return any(str(getattr(n, "function", "")) in PRINTING
                   for n in syntax.walk((*self._bodies(), tuple(self.helpers.values()))))

    @property
    def sends(self) -> list[syntax.Send]:
        """The messages that the filter sends somewhere."""
        scope = Scope(None, {name: Variable("", type) for name, type in self.outer.items()})
        found = (as_message(n, scope) for n in syntax.walk(self._bodies()))
        return [message for message in found if message is not None]

    def is_dynamic(self) -> bool:
        """Whether some rate is not the same at every firing."""
        works = (self.filter.work, self.filter.prework)
        return any(isinstance(rate, syntax.Range) for work in works if work
                   for rate in (work.rates.peek, work.rates.pop, work.rates.push))

    def not_compiled(self) -> str | None:
        if self.is_dynamic():
            return "its rates are dynamic"
        if self.sends or self.handlers:
            return "it has messages"
        others = [t for t in self._types() if not is_plain(t)]
        if any(self._gives_structures(f) for f in self.functions.items()):
            return "a function gives or changes a structure"
        return f"it uses {others[0]}" if others else None

    def _types(self) -> list[Type]:
        """The types of everything that the filter has."""
        declared = [self.kinds.of(n.type) for n in syntax.walk(
            (self._bodies(), tuple(f.body for f in self.functions.values())))
            if isinstance(n, syntax.Declare)]
        return [self.input, self.output, *self.fields.values(), *declared,
                *(self.outer[name] for name in self.environment)]

    def _gives_structures(self, named: tuple[str, syntax.Function]) -> bool:
        """Whether a function gives a structure, or has one of its own to change."""
        name, function = named
        given = self.kinds.of(function.result, may_be_void=True)
        changed = (self.kinds.of(function.parameters[i].type) for i in self.changes[name])
        return isinstance(base_of(given), StructOf) or any(
            isinstance(each, StructOf) for each in changed)

    @property
    def structs(self) -> list[StructOf]:
        """The structures that the filter uses, each once."""
        return list(dict.fromkeys(base_of(t) for t in self._types()
                                  if isinstance(base_of(t), StructOf)))

    @property
    def inherited(self) -> tuple[str, ...]:
        """The environment, and the parameters that became fields."""
        return (*self.environment, *(p.name for p in self.filter.parameters
                                     if p.name in self.fields))
