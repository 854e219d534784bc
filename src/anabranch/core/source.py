"""Where things stand in the user's text: spans, their excerpts, and the caller's line.

Depends on nothing else in the package, so every part may carry a span.
"""

from __future__ import annotations

import ast
import linecache
import os
import re
import sys
import sysconfig
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FrameType

PROMPTS = ("<stdin>", "<python-input")
PACKAGE = str(Path(__file__).parent.parent) + os.sep
_PYTHONS_OWN = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})


@dataclass(frozen=True)
class Span:
    """A piece of a source file: lines count from 1, columns from 0, the end column is exclusive."""

    file: str
    line: int
    column: int = 0
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.shown_file}:{self.line}"

    @property
    def shown_file(self) -> str:
        return shown_path(self.file)

    @property
    def text(self) -> str:
        return linecache.getline(self.file, self.line).rstrip("\n")

    def excerpt(self) -> list[str]:
        """The line with its number and the span underlined; empty when the text is not at hand."""
        if not self.text.strip():
            return []
        number = str(self.line)
        margin = " " * len(number)
        return [f"{margin} |", f"{number} | {self.text}", f"{margin} | {self._underline()}"]

    def _underline(self) -> str:
        start = max(self.column, len(self.text) - len(self.text.lstrip()))
        one_line = self.end_line in (None, self.line) and self.end_column is not None
        end = self.end_column if one_line else len(self.text)
        padding = "".join("\t" if c == "\t" else " " for c in self.text[:start])
        return padding + "^" * max(1, end - start)

    def at(self, node: ast.AST) -> Span:
        """The span of a syntax node whose positions are those of this span's file."""
        return node_span(self.file, node)


_ORIGIN = re.compile(r"  #@ (\d+):(\d+)(?:-(\d+):(\d+))?$")


def origin_comment(span: Span) -> str:
    """What stands behind a generated line and says where in the user's text it comes from."""
    end = "" if span.end_line is None else f"-{span.end_line}:{span.end_column}"
    return f"#@ {span.line}:{span.column}{end}"


def origin(span: Span) -> Span | None:
    """The place in the user's text that a generated line says it comes from. The first line of such
    a text is a comment with the name of the user's file."""
    if not span.file.startswith("<generated"):
        return None
    found = _ORIGIN.search(linecache.getline(span.file, span.line).rstrip("\n"))
    if found is None:
        return None
    file = linecache.getline(span.file, 1).removeprefix("# ").rstrip("\n")
    return Span(file, *(None if part is None else int(part) for part in found.groups()))


def raised_at(error: BaseException) -> Span | None:
    """The place in the user's text of the innermost generated line that an error came through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        place = Span(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        found, trace = origin(place) or found, trace.tb_next
    return found


def shown_path(path: str) -> str:
    """A path as a person would name it from here: relative when it lies below this folder.

    >>> shown_path(os.path.join(os.getcwd(), "data", "trades.csv"))
    'data/trades.csv'
    """
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith("..") else relative


def is_interactive(file: str) -> bool:
    """Whether the text was typed in a notebook or at a prompt, where lines are run again."""
    return file.startswith(("<ipython-input", *PROMPTS)) or "ipykernel_" in file


@dataclass(frozen=True, eq=False)
class CellRun:
    """One run of a notebook's cell, or of one of its statements: which cell it is, which time it is
    run, and its frame."""

    cell: str
    time: object
    frame: FrameType

    def is_before(self, other: CellRun, line: int, other_line: int) -> bool:
        """Whether the same cell has been run again since: what this run made in its `line` the
        other one makes anew. Where nobody counts the runs, lines tell: they go down."""
        return self.cell == other.cell and self.frame is not other.frame and (
            self.time != other.time or line >= other_line)


def cell_run() -> CellRun | None:
    """The run of the notebook's cell from which this is called."""
    frame, found = user_frame(), None
    while frame is not None:
        if is_interactive(frame.f_code.co_filename):
            found = frame
        frame = frame.f_back
    if found is None or found.f_code.co_filename.startswith(PROMPTS):
        return None
    file, shell = found.f_code.co_filename, _shell(found)
    # Notebooks name their cells, also when their text is edited.
    asked = getattr(shell, "get_parent", dict)() or {}
    named = asked.get("metadata", {}).get("cellId")
    return CellRun(named or file_text(file) or file, getattr(shell, "execution_count", file), found)


def _shell(frame: FrameType) -> object | None:
    """IPython's shell, if the frame is of a cell that it runs."""
    get = frame.f_globals.get("get_ipython")
    return get() if callable(get) else None


def cell_name(file: str, names: dict[str, object]) -> str | None:
    """How a person calls the cell with the text of this file, among whose `names` is IPython's
    list of all that was run.

    >>> cell_name("<ipython-input-7-5f3a>", {})
    'cell 7'
    """
    if numbered := re.match("<ipython-input-([0-9]+)", file):
        return f"cell {numbered[1]}"
    text, run = file_text(file).strip(), names.get("In")
    texts = [str(each).strip() for each in run] if isinstance(run, list) else []
    return f"cell {len(texts) - 1 - texts[::-1].index(text)}" if text in texts else None


def node_span(file: str, node: ast.AST) -> Span:
    return Span(file, node.lineno, _column(file, node.lineno, node.col_offset), node.end_lineno,
                _column(file, node.end_lineno, node.end_col_offset))


def caller_span() -> Span:
    """The call outside this package that is being evaluated; of a chain, the method's own part."""
    frame = user_frame()
    if frame is None:
        return Span("<unknown>", 1)
    whole = frame_span(frame.f_code, frame.f_lasti, frame.f_lineno)
    call = parsed_file(whole.file).calls.get((whole.line, whole.end_line, whole.end_column))
    return _method_span(whole, call) if call is not None else whole


def _method_span(whole: Span, call: ast.Call) -> Span:
    """From the method's name on: `a.filter(p).map(f)` over three lines points at its `map(f)`."""
    if not isinstance(call.func, ast.Attribute):
        return whole
    line, end = call.func.end_lineno, call.func.end_col_offset
    column = _column(whole.file, line, end) - len(call.func.attr)
    return Span(whole.file, line, column, whole.end_line, whole.end_column)


def is_installed(file: str) -> bool:
    """Whether a file came with Python or with a package, ours included; others are the user's.

    A package may be found in another environment than that of the interpreter: in the user's
    home, in the system's folders, in a folder that a `.pth` file names.

    >>> is_installed(os.__file__), is_installed("/usr/lib/python3/dist-packages/six.py")
    (True, True)
    >>> is_installed("/home/ann/ledger/helpers.py")
    False
    """
    return file.startswith((PACKAGE, *_PYTHONS_OWN)) or not _PACKAGES.isdisjoint(Path(file).parts)


_PACKAGES = {"site-packages", "dist-packages"}


def package_of(file: str) -> str | None:
    """The package that a file was installed with, but for Python's own and ours.

    >>> package_of("/usr/lib/python3/dist-packages/six.py"), package_of(os.__file__)
    ('six', None)
    """
    parts = Path(file).parts
    at = next((n for n, part in enumerate(parts) if part in _PACKAGES), None)
    is_ours = file.startswith(PACKAGE) or at is None or at + 1 == len(parts)
    return None if is_ours else parts[at + 1].removesuffix(".py")


def user_frame() -> FrameType | None:
    frame = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return frame


def _is_ours(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    # The constructors of dataclasses have no file.
    return file.startswith(PACKAGE) or (
        file == "<string>" and frame.f_globals.get("__name__", "").startswith("anabranch."))


def frame_span(code, instruction: int, line: int) -> Span:
    """The span of one instruction: `co_positions` tells calls of one line apart."""
    file, nowhere = code.co_filename, (None,) * 4
    first, last, start, end = next(islice(code.co_positions(), instruction // 2, None), nowhere)
    if first is None:
        return Span(file, line)
    return Span(file, first, _column(file, first, start), last, _column(file, last, end))


def assigned_name(span: Span) -> str | None:
    """The variable that the statement at `span` assigns: 'x' for `x = ab.read_csv(...)`."""
    statement = parsed_file(span.file).assignments.get((span.end_line, span.end_column))
    target = statement.targets[0] if statement is not None else None
    return target.id if isinstance(target, ast.Name) else None


class ParsedFile:
    """A file's syntax tree with the look-ups that spans need, made once per text."""

    def __init__(self, file: str, text: str):
        self.text = text
        try:
            self.tree = ast.parse(text)
        except SyntaxError:
            self.tree = ast.Module([], [])
        nodes = list(ast.walk(self.tree))
        self.assignments = {(n.end_lineno, _column(file, n.end_lineno, n.end_col_offset)): n
                            for n in nodes if isinstance(n, ast.Assign)}
        self.calls = {(n.lineno, n.end_lineno, _column(file, n.end_lineno, n.end_col_offset)): n
                      for n in nodes if isinstance(n, ast.Call)}


_PARSED: dict[str, ParsedFile] = {}


def parsed_file(file: str) -> ParsedFile:
    """The syntax of a file as it is now; an empty module when it cannot be parsed."""
    text = file_text(file)
    if file not in _PARSED or _PARSED[file].text != text:
        _PARSED[file] = ParsedFile(file, text)
    return _PARSED[file]


def file_text(file: str) -> str:
    """The text of a source file as it is now, of a notebook cell too: `linecache` knows both."""
    # A relative name may be another file's since: `linecache` looks again only when it is told to.
    linecache.checkcache(file)
    return "".join(linecache.getlines(file))


def _column(file: str, line: int, utf8_offset: int) -> int:
    """Python counts columns in UTF-8 bytes; people count characters."""
    text = linecache.getline(file, line)
    if text.isascii():
        return utf8_offset
    return len(text.encode()[:utf8_offset].decode(errors="ignore"))


def class_name(cls: type) -> str:
    """The name of a class; a metaclass of the user's is not asked.

    >>> class_name(dict)
    'dict'
    """
    return vars(type)["__name__"].__get__(cls)
