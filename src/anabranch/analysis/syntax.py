"""The syntax of a user's function: its tree with positions of its file, its names.

>>> import statistics
>>> syntax = syntax_of(statistics.mean)
>>> syntax.node.name, syntax.parameters, syntax.is_generator
('mean', ('data',), False)
>>> syntax_of(len)
Missing(reason='its source cannot be found: len is not written in Python')
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, MethodType

from anabranch.analysis.by_name import with_attributes
from anabranch.core.source import (
    ParsedFile,
    Span,
    class_name,
    is_installed,
    node_span,
    origin,
    parsed_file,
)

Definition = ast.FunctionDef | ast.Lambda
UNRESOLVED = object()


@dataclass(frozen=True)
class Missing:
    """There is no syntax to look at, and why."""

    reason: str


@dataclass(frozen=True, eq=False)
class FunctionSyntax:
    """A function's tree. `bound` are parameters that have a value already: a method's `self`, or
    what a `partial` gives."""

    node: Definition
    file: str
    function: FunctionType
    bound: dict[str, object]

    @property
    def code(self) -> CodeType:
        return self.function.__code__

    @property
    def parameters(self) -> tuple[str, ...]:
        """The positional parameters that a call still gives, those with a default included."""
        return tuple(n for n in _positional(self.code) if n not in self.bound)

    @property
    def argument_names(self) -> tuple[str, ...]:
        """All its parameters, starred and named ones too."""
        return _code_arguments(self.code)

    @property
    def defaults(self) -> dict[str, object]:
        values, names = self.function.__defaults__ or (), _positional(self.code)
        return (dict(zip(names[len(names) - len(values):], values))
                | (self.function.__kwdefaults__ or {}))

    @property
    def given(self) -> dict[str, object]:
        """The parameters whose values are known: the defaults, and what is bound."""
        return self.defaults | self.bound

    @property
    def is_generator(self) -> bool:
        return bool(self.code.co_flags & inspect.CO_GENERATOR)

    @property
    def span(self) -> Span:
        return self.at(self.node)

    @property
    def body(self) -> list[ast.stmt]:
        return body_of(self.node)

    def at(self, node: ast.AST) -> Span:
        """Its place in the file; in the user's text, if the file was generated from that."""
        found = node_span(self.file, node)
        return origin(found) or found

    def at_attribute(self, node: ast.Attribute) -> Span:
        """The name behind the dot."""
        whole = self.at(node)
        if whole.file != self.file:
            return whole
        return Span(self.file, whole.end_line, whole.end_column - len(node.attr),
                    whole.end_line, whole.end_column)

    def is_local(self, name: str) -> bool:
        return name in self.code.co_varnames or name in self.code.co_cellvars

    def resolve(self, name: str) -> object:
        """The value that a name has outside of the function, or `UNRESOLVED`."""
        if name in self.bound:
            return self.bound[name]
        if self.is_local(name):
            return UNRESOLVED
        return outside_value(self.function, name)


def outside_value(function: FunctionType, name: str) -> object:
    """The value that a name which is no variable of the function has, or `UNRESOLVED`."""
    if name in function.__code__.co_freevars:
        return _cell(function, name)
    return function.__globals__.get(name, function.__builtins__.get(name, UNRESOLVED))


def body_of(node: ast.AST) -> list[ast.stmt]:
    """The statements of a function; a lambda's body is a return."""
    return _as_return(node) if isinstance(node, ast.Lambda) else node.body


@functools.lru_cache(maxsize=1024)
def _as_return(node: ast.Lambda) -> list[ast.stmt]:
    """The same nodes each time: what analyses know of them is kept by node."""
    return [ast.copy_location(ast.Return(node.body), node.body)]


def syntax_of(call: Callable) -> FunctionSyntax | Missing:
    """The syntax of a function, lambda, method, partial or callable object written in Python."""
    python = _python_function(call)
    if python is None:
        return Missing(f"its source cannot be found: {shown_name(call)} is not written in Python")
    function, values, keywords = python
    node = _definition(function.__code__)
    if isinstance(node, Missing):
        return node
    if not _is_of_its_text(function):
        return Missing(f"its source cannot be found: "
                       f"{Span(function.__code__.co_filename, 1).shown_file} has changed since it "
                       "was loaded")
    bound = {**dict(zip(_positional(function.__code__), values)), **keywords}
    node = with_attributes(function.__code__, node)
    return FunctionSyntax(node, function.__code__.co_filename, function, bound)


def shown_name(call: object) -> str:
    if isinstance(call, type):
        return class_name(call)
    return getattr(call, "__name__", None) or type(call).__name__


def _python_function(call: object) -> tuple[FunctionType, tuple, dict] | None:
    """The function itself, with the arguments that it has been given already."""
    if isinstance(call, FunctionType):
        return call, (), {}
    own = inspect.getattr_static(type(call), "__call__", None)
    if isinstance(own, FunctionType):
        return own, (call,), {}
    if isinstance(call, functools.partial):
        inner = _python_function(call.func)
        return inner and (inner[0], (*inner[1], *call.args), {**inner[2], **call.keywords})
    if isinstance(call, MethodType) and isinstance(call.__func__, FunctionType):
        return call.__func__, (call.__self__,), {}
    return None


def _positional(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[:code.co_argcount]


def _cell(function: FunctionType, name: str) -> object:
    cell = function.__closure__[function.__code__.co_freevars.index(name)]
    try:
        return cell.cell_contents
    except ValueError:
        return UNRESOLVED


_DEFINITIONS: weakref.WeakKeyDictionary[ParsedFile, dict] = weakref.WeakKeyDictionary()


def _definition(code: CodeType) -> Definition | Missing:
    file = parsed_file(code.co_filename)
    if file not in _DEFINITIONS:
        _DEFINITIONS[file] = _by_line(file)
    found = [n for n in _DEFINITIONS[file].get((code.co_firstlineno, code.co_name), ())
             if _argument_names(n) == _code_arguments(code)]
    found = found if len(found) < 2 else _innermost(found, code)
    if len(found) == 1:
        return found[0]
    if not file.text:
        return Missing(f"its source cannot be found: there is no text of {code.co_filename}")
    return Missing(f"its source cannot be found: line {code.co_firstlineno} of "
                   f"{Span(code.co_filename, 1).shown_file} is not where it says")


def _is_of_its_text(function: FunctionType) -> bool:
    """Whether the code that runs was made of the text that is there: who edits a file of which a
    notebook has loaded the module runs the old code. A module that something else than Python's own
    loader made, such as pytest of its tests, is another text to begin with."""
    code = function.__code__
    loader = function.__globals__.get("__loader__")
    if (type(loader) not in (SourceFileLoader, type(None))
            or is_installed(code.co_filename) or not os.path.isfile(code.co_filename)):
        return True
    file, flags = parsed_file(code.co_filename), code.co_flags & annotations.compiler_flag
    known = _CODES.setdefault(file, {})
    if flags not in known:
        known[flags] = frozenset(_codes_of(file.text, code.co_filename, flags))
    return code in known[flags]


_CODES: weakref.WeakKeyDictionary[ParsedFile, dict[int, frozenset[CodeType]]] = (
    weakref.WeakKeyDictionary())


def _codes_of(text: str, name: str, flags: int) -> Iterator[CodeType]:
    """All code that a text is compiled to; who compiles it may add `from __future__` to it."""
    try:
        waiting = [compile(text, name, "exec", flags, dont_inherit=True)]
    except (SyntaxError, ValueError):
        return
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [const for const in code.co_consts if isinstance(const, CodeType)]


def _by_line(file: ParsedFile) -> dict[tuple[int, str], list[Definition]]:
    found: dict[tuple[int, str], list[Definition]] = {}
    for node in ast.walk(file.tree):
        if isinstance(node, ast.FunctionDef):
            # A function's code starts at its first decorator.
            lines = {node.lineno, *(d.lineno for d in node.decorator_list[:1])}
            for line in lines:
                found.setdefault((line, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return found


def _argument_names(node: Definition) -> tuple[str, ...]:
    a = node.args
    named = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    return tuple(x.arg for x in named)


def _code_arguments(code: CodeType) -> tuple[str, ...]:
    starred = [code.co_flags & flag for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)]
    return code.co_varnames[:code.co_argcount + code.co_kwonlyargcount + sum(map(bool, starred))]


def _innermost(found: list[Definition], code: CodeType) -> list[Definition]:
    """Of several functions on one line, the smallest that holds every instruction of the code."""
    places = list(_places(code))
    holding = [n for n in found if places and all(_holds(n, place) for place in places)]
    return sorted(holding, key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset - n.col_offset)
                  )[:1]


def _places(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    for line, end_line, column, end_column in code.co_positions():
        if None not in (line, end_line, column, end_column) and (column or end_column):
            yield line, column, end_line, end_column


def _holds(node: Definition, place: tuple[int, int, int, int]) -> bool:
    body = node.body if isinstance(node, ast.Lambda) else node
    return ((body.lineno, body.col_offset) <= place[:2]
            and place[2:] <= (body.end_lineno, body.end_col_offset))
