"""Pipelines, split-joins and feedback loops: bodies as Python that adds streams.

    compose(B, *environment)      calls B.add, B.split, B.join and B.enqueue
"""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.functions import add_functions, reached, signatures
from anabranch.lang.streamit.coding.module import Constants, Lines, Module
from anabranch.lang.streamit.coding.operations import converted, copied
from anabranch.lang.streamit.coding.scope import Kinds, Scope, Variable
from anabranch.lang.streamit.coding.statements import Statements
from anabranch.lang.streamit.types import STRING, PortalOf, Type

LIBRARY = {"Identity": (), "FileReader": (STRING,), "FileWriter": (STRING,)}


@dataclass(frozen=True)
class Site:
    """A place where a stream is added: which one, and the types of the names it can see."""

    stream: syntax.Node
    visible: dict[str, Type]
    span: Span


@dataclass(frozen=True)
class CompositeCode:
    """The code of a composite stream, for whatever its parameters are."""

    name: str
    kind: str
    span: Span
    environment: tuple[str, ...]
    module: Module
    sites: tuple[Site, ...]


class CompositeCoder(Statements):
    """Codes one composite declaration; `outer` has the names it can see from where it stands."""

    def __init__(self, stream: syntax.Composite, outer: dict[str, Type], kinds: Kinds,
                 streams: dict[str, syntax.Stream], structs: dict[str, object],
                 helpers: dict[str, syntax.Function]):
        self.helpers = reached(helpers, (stream.body,), {})
        self.names = tuple(n for n in refs((stream, tuple(self.helpers.values()))) if n in outer)
        extra = tuple(f"e_{name}" for name in self.names)
        super().__init__(Lines(), Scope(), kinds, signatures(self.helpers, kinds, extra),
                         Constants())
        self.stream, self.outer, self.streams, self.structs = stream, outer, streams, structs
        self.sites: list[Site] = []

    def code(self) -> CompositeCode:
        """The code of the whole stream."""
        stream, names = self.stream, self.names
        for name in names:
            self.scope.names[name] = Variable(f"e_{name}", self.outer[name])
        add_functions(self.helpers, self.functions, self.scope, self._inner)
        with self.lines.inside(f"def compose({', '.join(('B', *(f'e_{n}' for n in names)))}):"):
            self.statement(stream.body)
        module = Module(self.lines.text(), tuple(self.lines.spans), self.constants, self.structs)
        return CompositeCode(stream.name or f"{stream.kind}_{stream.span.line}", stream.kind,
                             stream.span, names, module, tuple(self.sites))

    def _inner(self, scope: Scope) -> Statements:
        return Statements(self.lines, scope, self.kinds, self.functions, self.constants)

    def _statement(self, node: syntax.Node) -> None:
        ways = {syntax.Add: self._add, syntax.Distribute: self._distribute,
                syntax.Enqueue: self._enqueue}
        way = ways.get(type(node))
        if way is None:
            super()._statement(node)
        else:
            way(node)

    def _add(self, node: syntax.Add) -> None:
        allowed = ("body", "loop") if self.stream.kind == "feedbackloop" else ("add",)
        if node.role not in allowed:
            raise ProgramError(f"'{node.role}' cannot stand in a {self.stream.kind}", node.span,
                               expected=" or ".join(f"'{word}'" for word in allowed))
        stream = node.stream
        values = (self._arguments(stream) if isinstance(stream, syntax.Created)
                  else self._captured(stream))
        visible = {name: variable.type for name, variable in self.scope.all().items()}
        self.sites.append(Site(stream, visible, node.span))
        given = ", ".join(f"{name!r}: {text}" for name, text in values.items())
        portals = "".join(f"{self._portal(each)}, " for each in node.portals)
        self.lines.add(f"B.add({node.role!r}, {len(self.sites) - 1}, {{{given}}}, ({portals}))")

    def _portal(self, node: syntax.Ref) -> str:
        portal = self.value(node)
        if not isinstance(portal.type, PortalOf):
            raise ProgramError("a stream is added to portals only", node.span,
                               got=str(portal.type))
        return portal.text

    def _arguments(self, stream: syntax.Created) -> dict[str, str]:
        """The parameters of a named stream with the texts of their values."""
        names, types = self._parameters(stream)
        if len(stream.arguments) != len(types):
            raise ProgramError(f"'{stream.name}' takes another number of parameters", stream.span,
                               expected=str(len(types)), got=str(len(stream.arguments)))
        values = self.values(stream.arguments)
        return {name: copied(converted(value, type, argument.span)) for name, type, value,
                argument in zip(names, types, values, stream.arguments)}

    def _parameters(self, stream: syntax.Created) -> tuple[tuple[str, ...], tuple[Type, ...]]:
        if stream.name in self.streams:
            declared = self.streams[stream.name].parameters
            return tuple(p.name for p in declared), tuple(self.kinds.of(p.type) for p in declared)
        if stream.name in LIBRARY:
            types = LIBRARY[stream.name]
            return ("path",) * len(types), types
        raise ProgramError(f"no stream is called '{stream.name}'", stream.span,
                           help=did_you_mean(stream.name, [*self.streams, *LIBRARY]))

    def _captured(self, stream: syntax.Stream) -> dict[str, str]:
        """The values that an anonymous stream sees from around it, as they are now."""
        found = {name: self.scope.find(name) for name in refs(stream)}
        return {name: copied(self._ref(syntax.Ref(stream.span, name)))
                for name, variable in found.items() if variable is not None}

    def _distribute(self, node: syntax.Distribute) -> None:
        if self.stream.kind == "pipeline":
            raise ProgramError(f"a pipeline has no '{node.role}'", node.span)
        if node.weights is None:
            if node.role == "join":
                raise ProgramError("a joiner cannot duplicate", node.span,
                                   expected="join roundrobin")
            self.lines.add("B.split(None)")
            return
        weights = "".join(f"{self.integer(w)}, " for w in node.weights)
        self.lines.add(f"B.{node.role}(({weights}))")

    def _enqueue(self, node: syntax.Enqueue) -> None:
        if self.stream.kind != "feedbackloop":
            raise ProgramError("only a feedback loop has items enqueued", node.span)
        self.lines.add(f"B.enqueue({copied(self.value(node.value))})")


def refs(node: object) -> list[str]:
    """The names that are read somewhere, each once; a message to a portal looks like a call."""
    nodes = list(syntax.walk(node))
    portals = (n.function.parts[0] for n in nodes
               if isinstance(n, syntax.Call) and len(n.function.parts) == 2)
    return list(dict.fromkeys((*(n.name for n in nodes if isinstance(n, syntax.Ref)), *portals)))
