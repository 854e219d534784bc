"""The reasons that stand in the code, as templates: what is filled in later is written `…`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import anabranch
from anabranch.analysis.effects.library.methods import VERBS
from anabranch.analysis.effects.library.modules import WORDS as EFFECT_WORDS

PACKAGE = Path(anabranch.__file__).parent
FOLDERS = ("analysis", "plan/logical")
# Where the reason stands among the arguments of a call that gives one.
POSITIONS = {"Reason": 0, "Missing": 0, "_because": 0, "add": 2, "unresolved": 1, "unproved": 2,
             "_unresolved": 3, "Effect": 2, "_keyed": 3}
# What a program in Python is advised.
KEY_ADVICE = ": give by=..."
SEQUENTIAL_STATES = ("UNPARTITIONED", "UNKNOWN_STATE", "FORKABLE")
# Functions that return why a region ends.
ENDS = ("_following", "_foreign_key")


# Beginnings that a reason of another place completes, and what no program can bring about: what it
# would take is refused before, or is a fact that has another reason in front of it.
PARTS = {"state is …", "…: …", "… …", "reads …", "calls `…`, which …", "reads `…`",
         "reads the global … `…`", "reads the … … `…`", "… `…`, a part of its input",
         "… `…`, which may be shared"}
NEVER = {"state is partitioned by nothing", "nothing is declared", "writes one ordered sequence",
         "does what analysis cannot follow"}
COMPLETED = {"…, which changes while the program runs":
             "reads …, which changes while the program runs"}
# The reason of everything that is declared; of states, only this one stays sequential.
DECLARED = "state is unpartitioned: declared"


def templates() -> set[str]:
    """Every reason why an operator is not in a region, or a region ends."""
    files = [path for folder in FOLDERS for path in sorted((PACKAGE / folder).rglob("*.py"))]
    found = {text for path in files for text in _of(ast.parse(path.read_text())) if " " in text}
    if missing := (PARTS | NEVER | set(COMPLETED)) - found:
        raise AssertionError(f"the code has no longer {missing}")
    whole = {COMPLETED.get(text, text) for text in found - PARTS - NEVER}
    changes = {f"{verb} …" for verb in (*VERBS.values(), "changes")}
    effects = {f"calls `…`, which {words}" for words in EFFECT_WORDS.values()}
    return whole | changes | effects | {DECLARED}


def _of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _given(node)
        elif isinstance(node, ast.FunctionDef) and node.name in ENDS:
            for returned in (n for n in ast.walk(node) if isinstance(n, ast.Return)):
                yield from _texts(returned.value)


def _given(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    position = POSITIONS.get(name)
    if name == "Fact" and getattr(call.args[0], "id", "") in SEQUENTIAL_STATES:
        position = 1
    if position is not None and len(call.args) > position:
        yield from _texts(call.args[position])


def _filled(part: ast.expr) -> str:
    match part:
        case ast.Constant(value=text):
            return text
        case ast.FormattedValue(value=ast.Call(func=ast.Name(id="_key_advice"))):
            return KEY_ADVICE
    return "…"


def _texts(node: ast.expr | None) -> Iterator[str]:
    """The texts that an expression may be."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(map(_filled, parts))
        case ast.IfExp(body=body, orelse=orelse):
            yield from _texts(body)
            yield from _texts(orelse)
        case ast.Tuple(elts=elements):
            for element in elements:
                yield from _texts(element)
