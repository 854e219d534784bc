"""A Python program run statement by statement, as far as it goes.

What a wrong statement would have defined is unknown afterwards, so what needs it is passed over in
silence, and the rest says what is wrong with itself.
"""

from __future__ import annotations
import __future__

import ast
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, ModuleType

from anabranch.analysis.typing.diagnostics import collecting
from anabranch.api.node import Node, loading_program
from anabranch.api.parameters import parameters
from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span, node_span
from anabranch.lang.text import unsaved
from anabranch.lsp.declarations import declarations
from anabranch.lsp.guard import NotWhileEditing
from anabranch.lsp.problems import Diagnosis, Severity, problem_of

MOST_BROKEN = 8
"""So many pieces that cannot be read are passed over."""


class TooLong(BaseException):
    """The program has computed for so long that nobody waits for it any more."""


@dataclass
class PartialProgram:
    """What came of the program: its nodes, its names, and what was wrong with it."""

    nodes: list[Node] = field(default_factory=list)
    names: dict[str, object] = field(default_factory=dict)
    problems: list[Diagnosis] = field(default_factory=list)
    errors: list[AnabranchError] = field(default_factory=list)


def seen(path: Path, text: str, seconds: float) -> PartialProgram:
    """The program of this text, which the file need not have, in so many seconds of computing."""
    found = PartialProgram()
    tree, left, broken = _parsed(text, str(path), found.problems)
    module = ModuleType("__main__")
    module.__file__ = str(path)
    sys.modules["__main__"], found.names = module, vars(module)
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    # Functions are analysed from their source, which has to be one that can be read.
    with (unsaved({str(path): left}), loading_program() as found.nodes, parameters({}),
          collecting() as errors, _at_most(seconds)):
        _Run(found, str(path), broken).run(tree.body)
    told = {(error.what, error.where): error for error in errors}
    found.errors += told.values()
    found.problems += [problem_of(error, str(path)) for error in told.values()]
    return found


def _parsed(text: str, file: str, problems: list[Diagnosis]
            ) -> tuple[ast.Module, str, set[str]]:
    """The syntax of what can be read, its text, in which a statement that cannot is left blank, and
    the names that such statements would have defined."""
    lines, broken = text.split("\n"), set()
    for _ in range(MOST_BROKEN):
        try:
            return ast.parse("\n".join(lines), file), "\n".join(lines), broken
        except (SyntaxError, ValueError, RecursionError) as error:
            line = min(max(getattr(error, "lineno", None) or 1, 1), len(lines))
            problems.append(_unreadable(error, file, line, lines))
            first, last = statement_around(lines, line - 1)
            lost = declarations("\n".join(lines[first:last]), ".py")
            broken |= {each.name for each in lost if each.kind != "field"}
            lines[first:last] = [""] * (last - first)
    return ast.Module([], []), "", broken


def _unreadable(error: Exception, file: str, line: int, lines: list[str]) -> Diagnosis:
    start = max((getattr(error, "offset", None) or 1) - 1, 0)
    end_line, end = getattr(error, "end_lineno", None), getattr(error, "end_offset", None)
    stop = end - 1 if end_line == line and end and end - 1 > start else max(
        len(lines[line - 1]), start + 1)
    said = getattr(error, "msg", None) or str(error)
    return Diagnosis(f"this cannot be read: {said}", Span(file, line, start, line, stop))


def statement_around(lines: list[str], at: int) -> tuple[int, int]:
    """The lines of the statement of the module that has this one, as far as margins tell."""
    first, last = at, at + 1
    while first > 0 and not _begins(lines[first]):
        first -= 1
    while last < len(lines) and not _begins(lines[last]):
        last += 1
    while first > 0 and lines[first - 1].startswith("@"):
        first -= 1
    return first, last


def _begins(line: str) -> bool:
    return bool(line) and line[0] not in " \t#)]}\r"


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> None:
        raise TooLong
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Run:
    """The statements one after the other, with the names that are unknown."""

    def __init__(self, found: PartialProgram, file: str, unknown: set[str]):
        self.found, self.file, self.unknown = found, file, unknown
        self.flags = 0

    def run(self, statements: list[ast.stmt]) -> None:
        try:
            for statement in statements:
                self._one(statement)
        except TooLong as stuck:
            where = _line_in(stuck, self.file) or Span(self.file, 1)
            self._add("the program was still computing here, and is looked at no further", where,
                      Severity.WARNING)
        except SystemExit as left:
            if left.code not in (None, 0):
                where = _line_in(left, self.file)
                self._add(f"the program ends itself with sys.exit({left.code!r})", where)

    def _one(self, statement: ast.stmt) -> None:
        bound = names_bound(statement)
        if self.unknown & names_used(statement):
            self.unknown |= bound
            return
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                self.flags |= getattr(__future__, alias.name).compiler_flag
        try:
            code = compile(ast.Module([statement], []), self.file, "exec", self.flags, True)
            exec(code, self.found.names)
            self.unknown -= bound
        except (TooLong, SystemExit):
            raise
        except BaseException as error:
            self.unknown |= bound
            self._tell(error, statement)

    def _tell(self, error: BaseException, statement: ast.stmt) -> None:
        where = _line_in(error, self.file) or _first_line(self.file, statement)
        if isinstance(error, AnabranchError):
            self.found.errors.append(error)
            self.found.problems.append(problem_of(error, self.file, where))
        elif (refused := _refused(error)) is not None:
            self._add(f"the program {refused} here; that is done when it runs, and not while it is "
                      "edited", where, Severity.INFORMATION)
        elif isinstance(error, SyntaxError):
            self._add(f"this cannot be read: {error.msg}", where)
        else:
            self._add(f"this raised {type(error).__name__}: {error}", where)

    def _add(self, text: str, where: Span | None, severity: Severity = Severity.ERROR) -> None:
        self.found.problems.append(Diagnosis(text, where or Span(self.file, 1), severity))


def _refused(error: BaseException | None) -> str | None:
    """What the guard has refused, also where a library has made another error of it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, NotWhileEditing):
            return str(error)
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _line_in(error: BaseException, file: str) -> Span | None:
    """The innermost line of the program that an error came through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return None if found is None else _whole_line(file, found)


def _whole_line(file: str, line: int) -> Span:
    text = Span(file, line).text
    return Span(file, line, len(text) - len(text.lstrip()), line, len(text))


def _first_line(file: str, statement: ast.stmt) -> Span:
    span = node_span(file, statement)
    return span if span.end_line == span.line else _whole_line(file, span.line)


def names_bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a meaning to.

    >>> sorted(names_bound(ast.parse("a, b = 1, 2").body[0]))
    ['a', 'b']
    """
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(a.asname or a.name).partition(".")[0] for a in statement.names}
    return {n.id for n in ast.walk(statement)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def names_used(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def is_program(text: str) -> bool:
    """Whether a Python file is about streams at all; any other is never run.

    >>> is_program("import anabranch as ab"), is_program("# import anabranch")
    (True, False)
    """
    return any(line.split()[:1] in (["import"], ["from"]) and "anabranch" in line
               for line in text.split("\n"))

