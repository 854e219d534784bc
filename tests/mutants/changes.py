"""Every change that can be made to a module's text: a condition negated, a statement left out, an
entry of a table dropped, and the like.

>>> for change in changes("if a and b:\\n    noted(a)\\n"):
...     print(change.what, repr(change.after))
negated 'if not (a and b):\\n    noted(a)\\n'
swapped 'if a or b:\\n    noted(a)\\n'
left out 'if a and b:\\n    pass\\n'
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
             ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
             ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "+",
             ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitXor: "&"}
CLASSES = {"int": "str", "str": "int", "float": "str", "bool": "str", "bytes": "str",
           "list": "tuple", "tuple": "list", "set": "list", "dict": "list"}
WORDS = {"left": "right", "right": "left"}
TABLE_FUNCTIONS = ("gives", "_of", "frozenset", "dict")


@dataclass(frozen=True)
class Change:
    """A part of a module's text is another one; whether that lies in a table of what is known."""

    what: str
    before: str
    begin: int
    end: int
    new: str
    in_table: bool = False

    @property
    def after(self) -> str:
        text = self.before.encode()
        return (text[:self.begin] + self.new.encode() + text[self.end:]).decode()

    @property
    def is_other_code(self) -> bool:
        """Whether it can be read, and says something else."""
        try:
            return ast.dump(ast.parse(self.before)) != ast.dump(ast.parse(self.after))
        except SyntaxError:
            return False

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that differ, without their indentation."""
        return tuple(f"{line[0]} {line[1:].strip()}" for line in self.diff.splitlines()
                     if line[:1] in ("-", "+"))

    @property
    def diff(self) -> str:
        found = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), "", "", "",
                                     "", 2, "")
        return "\n".join(list(found)[2:])


def changes(text: str) -> Iterator[Change]:
    """All changes of a module, in the order of its text."""
    tree, places = ast.parse(text), _Text(text)
    for node, in_table in _nodes(tree, False):
        for what, begin, end, new in _edits(node, places, in_table):
            yield Change(what, text, begin, end, new, in_table)


class _Text:
    """A text in bytes, as the positions of its nodes are."""

    def __init__(self, text: str):
        self.bytes = text.encode()
        self.starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def begin(self, node: ast.AST) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.AST) -> int:
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.AST) -> str:
        return self.bytes[self.begin(node):self.end(node)].decode()


def _nodes(node: ast.AST, in_table: bool) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes that say what is done: no annotations, no messages, nothing of `__repr__`."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Raise, ast.JoinedStr)):
        return
    in_table = in_table or _is_table(node)
    yield node, in_table
    for name, child in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, ast.AST):
                yield from _nodes(each, in_table)


def _is_table(node: ast.AST) -> bool:
    """A constant of the module, or a call that fills one."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        [target, *_] = node.targets if isinstance(node, ast.Assign) else [node.target]
        return isinstance(target, ast.Name) and target.id.isupper()
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "gives"


def _edits(node: ast.AST, text: _Text, in_table: bool) -> Iterator[tuple[str, int, int, str]]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield _over("negated", text, test, f"not ({text.of(test)})")
        case ast.comprehension(ifs=[test, *_]):
            yield _over("negated", text, test, f"(not ({text.of(test)}))")
        case ast.BoolOp(op=op, values=parts):
            yield from _between("swapped", text, parts, "and" if isinstance(op, ast.Or) else "or")
        case ast.Expr(value=ast.Call() | ast.Yield()) if not in_table:
            yield _over("left out", text, node, "pass")
        case ast.AugAssign():
            yield _over("left out", text, node, "pass")
        case ast.Compare(ops=[op], left=left, comparators=[right]) if type(op) in OPERATORS:
            yield from _between("compared otherwise", text, [left, right], OPERATORS[type(op)])
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield _over("only the left", text, node, f"({text.of(left)})")
            yield _over("only the right", text, node, f"({text.of(right)})")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            yield from _between("computed otherwise", text, [left, right], OPERATORS[type(op)])
        case ast.Constant(value=bool(known)):
            yield _over("the other truth", text, node, str(not known))
        case ast.Constant(value=int(known)) if not in_table:
            yield _over("another number", text, node, str(known + 1))
        case ast.Constant(value=str(known)) if known in WORDS:
            yield _over("another word", text, node, repr(WORDS[known]))
        case ast.Name(id=name) if in_table and name in CLASSES:
            yield _over("another class", text, node, CLASSES[name])
    yield from _entries(node, text, in_table)


def _over(what: str, text: _Text, node: ast.AST, new: str) -> tuple[str, int, int, str]:
    return what, text.begin(node), text.end(node), new


def _between(what: str, text: _Text, parts: list[ast.expr], new: str
             ) -> Iterator[tuple[str, int, int, str]]:
    """Another operator between the parts; brackets around them stay."""
    left, right = parts[:2]
    begin, end = text.end(left), text.begin(right)
    between = text.bytes[begin:end].decode()
    closing = between[:len(between) - len(between.lstrip(" )\n"))]
    opening = between[len(between.rstrip(" (\n")):]
    yield what, begin, end, f"{closing}{new}{opening}"


def _entries(node: ast.AST, text: _Text, in_table: bool) -> Iterator[tuple[str, int, int, str]]:
    """A collection, or a text of words, with one entry fewer."""
    match node:
        case ast.Tuple(elts=parts, ctx=ast.Load()) | ast.List(elts=parts, ctx=ast.Load()) | ast.Set(
                elts=parts) if len(parts) > 1:
            for number in range(len(parts)):
                rest = [text.of(p) for n, p in enumerate(parts) if n != number]
                opening, closing = text.of(node)[0], text.of(node)[-1]
                if (opening, closing) in (("(", ")"), ("[", "]"), ("{", "}")):
                    comma = "," if opening == "(" and len(rest) == 1 else ""
                    yield _over("dropped", text, node,
                                f"{opening}{', '.join(rest)}{comma}{closing}")
        case ast.Dict(keys=keys, values=values) if len(keys) > 1:
            for key, held in zip(keys, values):
                begin = text.begin(key) if key is not None else text.bytes.rindex(
                    b"**", 0, text.begin(held))
                yield "dropped", begin, _after_comma(text, text.end(held)), ""
        case ast.Call(func=ast.Name(id=name), args=[*_, ast.Constant(value=str(words)) as last]
                      ) | ast.Call(func=ast.Name(id=name), args=[
                          *_, ast.Constant(value=str(words)) as last, _]) if in_table and (
                              name in TABLE_FUNCTIONS):
            for word in words.split() if " " in words else ():
                rest = " ".join(each for each in words.split() if each != word)
                yield _over("dropped", text, last, repr(rest))


def _after_comma(text: _Text, end: int) -> int:
    rest = text.bytes[end:]
    stripped = rest.lstrip()
    return end + len(rest) - len(stripped) + 1 if stripped.startswith(b",") else end
