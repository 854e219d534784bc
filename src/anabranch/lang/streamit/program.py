"""A whole program, checked and coded: structures, globals, functions, streams."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from anabranch.core.errors import NothingToRunError, ProgramError, did_you_mean
from anabranch.core.once import once
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.composites import CompositeCode, CompositeCoder
from anabranch.lang.streamit.coding.filters import FilterCode, FilterCoder
from anabranch.lang.streamit.coding.functions import add_functions, reached, signatures
from anabranch.lang.streamit.coding.module import Constants, Lines, Module
from anabranch.lang.streamit.coding.operations import field_name
from anabranch.lang.streamit.coding.scope import Kinds, Scope, Variable
from anabranch.lang.streamit.coding.statements import Statements
from anabranch.lang.streamit.execution.plain import struct_class, tables
from anabranch.lang.streamit.instances import Tapes, used_tapes
from anabranch.lang.streamit.types import (
    BOOLEAN,
    COMPLEX,
    FLOAT,
    INT,
    VOID,
    StructOf,
    Type,
    base_of,
)

TOP_TYPE = "void"


class Code:
    """The code of a program; every declaration is coded once, whatever uses it."""

    def __init__(self, program: syntax.Program, folder: Path = Path()):
        self.program = program
        self.streams = _named(program.streams, "stream")
        self.helpers = {f"{h.name}.{f.name}": f for h in program.helpers for f in h.functions}
        self.kinds = Kinds({}, {name: stream for name, stream in self.streams.items()
                                if isinstance(stream, syntax.Filter)})
        # Filled below and by the globals; generated functions see it as it is when they run.
        self.names: dict[str, object] = tables(folder)
        # The globals that have values, while they are computed.
        self._known: dict[str, object] | None = None
        structs = _named(program.structs, "structure").values()
        for struct in structs:
            self.kinds.structs[struct.name] = StructOf(struct.name, {}, partial(
                self._new, struct.name))
        for struct in structs:
            self._struct(struct)
        for struct in structs:
            self._check_finite(struct)
        self._coded: dict[tuple, FilterCode | CompositeCode] = {}

    def _check_finite(self, struct: syntax.Struct) -> None:
        """Refuses a structure with a structure of its own kind somewhere in it."""
        found, waiting = set(), [self.kinds.structs[struct.name]]
        while waiting:
            inner = {base_of(type) for type in waiting.pop().fields.values()}
            new = {each for each in inner - found if isinstance(each, StructOf)}
            found |= new
            waiting += new
        if self.kinds.structs[struct.name] in found:
            raise ProgramError(f"the structure '{struct.name}' would have itself in it",
                               struct.span)

    def _struct(self, struct: syntax.Struct) -> None:
        fields = self.kinds.structs[struct.name].fields
        fields |= {each.name: self.kinds.of(d.type) for d in struct.declared
                   for each in d.declarators}
        cls = struct_class(struct.name, tuple(map(field_name, fields)))
        self.names[f"new_{struct.name}"] = lambda: cls(*zeros()())

        def zeros():
            if self._known is not None:
                return self._zeros(struct, self._known)
            if f"zeros_{struct.name}" not in self.names:
                self.names[f"zeros_{struct.name}"] = self._zeros(struct, self.globals)
            return self.names[f"zeros_{struct.name}"]

    def _new(self, struct: str) -> object:
        return self.names[f"new_{struct}"]()

    def _zeros(self, struct: syntax.Struct, globals: dict[str, object]):
        """A function that gives the first values of a structure's fields, where these globals have
        values already."""
        self._check_known(struct, globals)
        lines, fields = Lines(), self.kinds.structs[struct.name].fields
        known = Scope(None, {n: Variable(f"e_{n}", t, True) for n, t in self.global_types.items()})
        coder = Statements(lines, known, self.kinds, {}, Constants())
        with lines.inside("def zeros():"):
            lines.add(f"return ({''.join(f'{coder.zero(t)}, ' for t in fields.values())})")
        values = {f"e_{n}": v for n, v in globals.items()}
        module = Module(lines.text(), tuple(lines.spans), coder.constants,
                        {**self.names, **values})
        return module.plain()["zeros"]

    def _check_known(self, struct: syntax.Struct, globals: dict[str, object]) -> None:
        """Refuses lengths of arrays for which a global is needed that has no value yet."""
        for node in syntax.walk(struct.declared):
            if isinstance(node, syntax.Ref) and node.name in self.global_types.keys() - globals:
                raise ProgramError(f"'{node.name}' has no value yet", node.span,
                                   help=f"declare it before what is made of '{struct.name}'")

    @once
    def global_types(self) -> dict[str, Type]:
        return {each.name: self.kinds.of(declare.type) for block in self.program.globals
                for declare in block.declared for each in declare.declarators}

    @once
    def globals(self) -> dict[str, object]:
        """The values of the globals, after the `init` of each static block."""
        lines, constants = Lines(), Constants()
        helpers = reached(self.helpers, self.program.globals, {})
        called = signatures(helpers, self.kinds)
        coder = Statements(lines, Scope(), self.kinds, called, constants)
        add_functions(helpers, called, Scope(), lambda scope: Statements(
            lines, scope, self.kinds, called, constants))
        with lines.inside("def globals_(known):"):
            for block in self.program.globals:
                for declare in block.declared:
                    coder.statement(declare)
                    for name in (each.name for each in declare.declarators):
                        lines.add(f"known[{name!r}] = {coder.scope.names[name].text}")
                if block.init is not None:
                    coder.statement(block.init)
            texts = {name: coder.scope.names[name].text for name in self.global_types}
            lines.add(f"return {{{', '.join(f'{n!r}: {t}' for n, t in texts.items())}}}")
        module = Module(lines.text(), tuple(lines.spans), coder.constants, self.names)
        self._known = {}
        found = module.plain()["globals_"](self._known)
        self._known = None
        return found

    def of(self, stream: syntax.Stream, visible: dict[str, Type],
           types: Tapes) -> FilterCode | CompositeCode:
        """The code of a declaration that stands where these names can be seen, between neighbours
        of these types."""
        is_filter = isinstance(stream, syntax.Filter)
        key = id(stream), *((types.input, types.output) if is_filter else ())
        if key not in self._coded:
            outer = visible | {p.name: self.kinds.of(p.type) for p in stream.parameters}
            self._coded[key] = (self._filter(stream, outer, types) if is_filter else CompositeCoder(
                stream, outer, self.kinds, self.streams, self.names, self.helpers).code())
        return self._coded[key]

    def _filter(self, filter: syntax.Filter, outer: dict[str, Type], types: Tapes) -> FilterCode:
        """The code of a filter; where no neighbour tells what it pushes, it is the narrowest type
        that takes all of it."""
        found = used_tapes(filter, types)
        failures: dict[Type, ProgramError] = {}
        for output in [found.output] if found.output else self._candidates(found):
            try:
                return FilterCoder(filter, outer, self.kinds, self.helpers, self.names,
                                   found.input, output).code()
            except ProgramError as failure:
                failures[output] = failure
        raise failures[found.output or INT]

    def _candidates(self, types: Tapes) -> list[Type]:
        """The types that items may have, narrowest first."""
        return list(dict.fromkeys((BOOLEAN, INT, FLOAT, COMPLEX, *self.kinds.structs.values(),
                                   *(t for t in [types.input] if t != VOID))))

    def top(self, name: str | None, file: str) -> syntax.Stream:
        """The stream that is the program: the one named, or the last from nothing to nothing that
        no other adds."""
        if name is not None:
            if name not in self.streams:
                raise ProgramError(f"no stream is called '{name}'",
                                   help=did_you_mean(name, self.streams))
            return self.streams[name]
        tops = [s for s in self.streams.values() if not s.parameters
                and s.input.name == s.output.name == TOP_TYPE]
        added = {node.name for node in syntax.walk(self.program.streams)
                 if isinstance(node, syntax.Created)}
        tops = [s for s in tops if s.name not in added] or tops
        if not tops:
            self._check_all()
            count = len(self.streams)
            raise NothingToRunError("no stream is of type void->void", file,
                                    f"{count} stream{'' if count == 1 else 's'}",
                                    help="write the stream that is the whole program")
        return tops[-1]

    def _check_all(self) -> None:
        """Refuses what is wrong in any stream, whatever its parameters are."""
        for stream in self.streams.values():
            types = Tapes(*(self.kinds.of(each, may_be_void=True)
                            for each in (stream.input, stream.output)))
            self.of(stream, self.global_types, types)


def _named(nodes: tuple, what: str) -> dict:
    found: dict[str, syntax.Node] = {}
    for node in nodes:
        if node.name in found:
            raise ProgramError(f"the {what} '{node.name}' is declared twice", node.span)
        found[node.name] = node
    return found
