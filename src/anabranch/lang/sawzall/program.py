"""A whole Sawzall program: its text and what it includes as one function."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import BYTES, INT, STR
from anabranch.lang.common.codegen import definition
from anabranch.lang.sawzall.check import CONSTANT_LOCALS
from anabranch.lang.sawzall.closures import check_closures
from anabranch.lang.sawzall.functions import SCOPE
from anabranch.lang.sawzall.library import output as emitting
from anabranch.lang.sawzall.library import times
from anabranch.lang.sawzall.library.body import Compiled
from anabranch.lang.sawzall.library.emissions import STDERR, STDOUT, static_run
from anabranch.lang.sawzall.library.values import Stopped
from anabranch.lang.sawzall.names import Local, Names, TypeMeaning
from anabranch.lang.sawzall.native.form import LoopForm
from anabranch.lang.sawzall.native.lowering import lowered
from anabranch.lang.sawzall.parser import Inclusion
from anabranch.lang.sawzall.statements import Generator
from anabranch.lang.sawzall.tables import Table
from anabranch.lang.sawzall.types import BASIC
from anabranch.lang.sawzall.variables import INPUT

STREAMS = {
    "stdout": (STR, emitting.line_to(STDOUT)), "stderr": (STR, emitting.line_to(STDERR)),
    "output": (BYTES, emitting.raw_to(STDOUT)),
}
UNDEFINED = {"_undef_cnt": (), "_undef_details": (STR,)}
"""Tables that every program has."""


@dataclass(frozen=True)
class Program:
    """A program that is ready to run, its tables, and its compiled form if these are folded."""

    compiled: Compiled
    tables: tuple[Table, ...]
    span: Span
    form: LoopForm | None


def program_of(text: str, file: str, files: tuple[str, ...] = (), *, folds: bool = False,
               ignores: bool = False, folders: tuple[str, ...] = ()) -> Program:
    """The checked program for these files; its tables are folded, or every emission printed."""
    zone = os.environ.get("TZ") or times.DEFAULT
    statements = Inclusion(zone, folders).statements_of(text, file)
    generator = Generator(_universe(), statements, zone, ignores=ignores, folds=folds)
    generator.write_program(statements)
    check_closures(statements)
    compiled, tables = _compiled(generator, file, zone), tuple(generator.tables)
    form = LoopForm(lowered(statements, tables), compiled, files) if folds else None
    return Program(compiled, tables, Span(file, 1), form)


def _universe() -> Names:
    types = {name: TypeMeaning(kind) for name, kind in BASIC.items()}
    streams = {name: Table(name, name, "collection", (), kind, None, None, f"emit_{name}")
               for name, (kind, _) in STREAMS.items()}
    counts = {name: Table(name, name, "mrcounter", indices, INT, None, None, f"emit_{name}")
              for name, indices in UNDEFINED.items()}
    own = {INPUT: Local(BYTES, "input"), "input_key": Local(BYTES, "run.key")}
    return Names({**types, **CONSTANT_LOCALS, **streams, **counts, **own})


def _scope(zone: str) -> dict[str, object]:
    now = int(os.environ.get("SZL_START_TIME") or time.time() * 1_000_000)
    emitters = {f"emit_{name}": emitter for name, (_, emitter) in STREAMS.items()}
    emitters["emit__undef_cnt"] = emitting.prints("_undef_cnt", [], str, None)
    emitters["emit__undef_details"] = emitting.prints("_undef_details", [repr], str, None)
    return {**SCOPE, **emitters, "ZONE": zone, "NOW": now, "run": static_run()}


def _compiled(generator: Generator, file: str, zone: str) -> Compiled:
    """The generated module: what is static, and the function that every record is given to."""
    statics, lines = generator.statics, generator.lines
    text = "\n".join([*statics.lines, "def main(run, input):", *lines.lines, " return"])
    offset = len(statics.lines) + 1
    spans = {**statics.spans, **{offset + line: span for line, span in lines.spans.items()}}
    ordered = frozenset(t.number for t in generator.tables if not t.rule.commutative)
    scope = {**_scope(zone), **generator.scope}
    try:
        main = definition(text, "main", Span(file, 1), scope).call
    except AnabranchError as error:
        if isinstance(error, ProgramError):
            raise
        raise _static_failure(error, spans) from None
    static = None if scope["run"].is_empty else scope["run"]
    return Compiled(main, ordered, main.__code__.co_filename, spans, static=static)


def _static_failure(error: AnabranchError, spans: dict[int, Span]) -> ProgramError:
    """A static value that cannot be computed."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith("<generated module"):
            line = trace.tb_lineno
        trace = trace.tb_next
    undefined = "" if isinstance(error, Stopped) else "a static value is undefined: "
    what = undefined + error.what
    return ProgramError(what, spans.get(line),
                        help=error.help)
