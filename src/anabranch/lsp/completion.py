"""What may stand at the cursor: attributes of items, methods of streams, words.

In Python, a name that nobody has is put where the cursor is. Whoever does not know it says what
there is: the inference of types inside of a lambda, a stream of its methods, an operator of the
attributes that may be a key.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

from anabranch.api.stream import Stream
from anabranch.core.errors import UnknownNameError
from anabranch.lsp.declarations import declarations
from anabranch.lsp.keywords import keywords, library
from anabranch.lsp.recovery import TOKEN
from anabranch.lsp.statements import PartialProgram, is_program, seen, statement_around

MARK = "anabranch_stands_here"
CLOSING = {"(": ")", "[": "]", "{": "}"}

Json = dict[str, object]


def completions(path: Path, text: str, line: int, column: int, seconds: float) -> list[Json]:
    """What may stand at this place; lines and columns count from 0."""
    before = text.split("\n")[line][:column]
    if path.suffix != ".py":
        return _words(text, path.suffix, before)
    return _of_python(path, text, line, column, seconds) if is_program(text) else []


def _words(text: str, extension: str, before: str) -> list[Json]:
    named = declarations(text, extension)
    after_dot = re.search(r"\.\s*\w*$", before)
    items = [_item(d.name, d.kind) for d in named if not after_dot or d.kind == "field"]
    if not after_dot:
        items += [_item(word, "keyword") for word in keywords(extension)]
        items += [_item(name, "library") for name in library(extension)]
    return list({item["label"]: item for item in reversed(items)}.values())[::-1]


def _item(label: str, kind: str, detail: str = "", about: str = "") -> Json:
    return {"label": label, "kind": kind, "detail": detail or kind, "about": about}


def _of_python(path: Path, text: str, line: int, column: int, seconds: float) -> list[Json]:
    lines = text.split("\n")
    head, tail = lines[line][:column], lines[line][column:]
    stem = re.search(r"\w*$", head)[0]
    head, tail = head[:len(head) - len(stem)], re.sub(r"^\w*", "", tail)
    quoted = re.search(r"""["']$""", head)
    if not head.rstrip().endswith(".") and not quoted:
        return []
    for marked in _repaired(lines, line, head + MARK, tail):
        try:
            tree = ast.parse(marked)
        except (SyntaxError, ValueError):
            continue
        found = seen(path, marked, seconds)
        return _known(found) or _of_value(tree, found)
    return []


def _repaired(lines: list[str], line: int, marked: str, tail: str) -> list[str]:
    """The program with the mark, as it is and with the rest of its statement left out."""
    first, last = statement_around(lines, line)
    opened = "\n".join([*lines[first:line], marked])
    above, below = lines[:line], lines[last:]
    blank = [""] * (last - line - 1)
    return ["\n".join([*above, marked + tail, *lines[line + 1:]]),
            "\n".join([*above, marked + tail + closing(opened + tail), *blank, *below]),
            "\n".join([*above, marked + closing(opened), *blank, *below])]


def closing(text: str) -> str:
    """What closes the brackets and the quotes that are open at the end of a text.

    >>> closing('f(a[1, "x')
    '"])'
    """
    opened, quote = [], ""
    for token in TOKEN.finditer(text):
        mark = token[0]
        if mark in CLOSING:
            opened.append(CLOSING[mark])
        elif mark in CLOSING.values() and opened:
            opened.pop()
        elif mark[0] in "\"'" and (len(mark) == 1 or mark[-1] != mark[0]):
            quote = mark[0]
    return quote + "".join(reversed(opened))


def _known(found: PartialProgram) -> list[Json]:
    """What was said to be there instead of the mark."""
    for error in found.errors:
        if isinstance(error, UnknownNameError) and error.name == MARK:
            return [_described(name, isinstance(error, AttributeError)) for name in error.known]
    return []


def _described(name: str, is_method: bool) -> Json:
    if not is_method:
        return _item(name, "field", "attribute")
    method = getattr(Stream, name, None)
    return _item(name, "method", "method of a stream", inspect.getdoc(method) or "")


def _of_value(tree: ast.Module, found: PartialProgram) -> list[Json]:
    """The public names of a value that the program has by a name, such as a module."""
    marked = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == MARK)
    try:
        value = _value(next(marked).value, found.names)
    except (AttributeError, KeyError, StopIteration):
        return []
    names = getattr(value, "__all__", None) or [n for n in dir(value) if not n.startswith("_")]
    return [_item(name, "function" if callable(getattr(value, name, None)) else "variable", "",
                  inspect.getdoc(getattr(value, name, None)) or "") for name in names]


def _value(node: ast.expr, names: dict[str, object]) -> object:
    """Of a name, or of attributes of one; nothing is called."""
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Attribute):
        return inspect.getattr_static(_value(node.value, names), node.attr)
    raise KeyError
