"""Calls of functions: those of the library, and the user's own.

The first signature that takes the arguments is meant; what a function gives to its variables, or
prints, becomes lines before the statement in which it is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from anabranch.core.errors import ProgramError
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.changes import Changes
from anabranch.lang.spl.coding.library import FUNCTIONS, Signature, matches, meaning
from anabranch.lang.spl.coding.operations import Code, is_changeable
from anabranch.lang.spl.coding.scopes import Called, Scope, fits_pattern, lettered
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import (
    TIME_PARTS,
    VOID,
    Collection,
    EnumOf,
    SplType,
    field_name,
    unbounded,
    wrapped,
)

NO_NAME = EnumOf(())


class Calls(Changes):
    """Checks calls, and writes them."""

    def _library(self, node: syntax.Invoke, name: str, wanted: SplType | None) -> Code:
        takers = [(s, found) for s in FUNCTIONS[name]
                  if (found := self._matching(s, node.arguments, wanted)) is not None]
        if takers:
            # Some have several results: the wanted one comes first.
            signature, found = next(((s, f) for s, f in takers if wanted is not None and (
                meaning(s.result, f[0]) == unbounded(wanted))), takers[0])
            return self._applied(signature, *found, node)
        given = ", ".join(str(self._type_of(a)) for a in node.arguments)
        shown = " or ".join(f"{name}{s}" for s in FUNCTIONS[name])
        raise ProgramError(f"{name} does not take these arguments", node.span, expected=shown,
                           got=f"{name}({given})")

    def _type_of(self, node: Node) -> SplType:
        return NO_NAME if _is_empty(node) else self.tried(node).type

    def _matching(self, signature: Signature, arguments: tuple[Node, ...],
                  wanted: SplType | None) -> tuple[dict, list[SplType | None]] | None:
        """What the letters of a signature stand for, and what literals become there; None if it
        does not take these arguments."""
        if len(arguments) != len(signature.parameters):
            return None
        found: dict[str, SplType] = {}
        hints: list[SplType | None] = [None] * len(arguments)
        # Literals take the types that the other arguments have settled.
        order = sorted(range(len(arguments)), key=lambda n: is_plain(arguments[n]))
        for n in order:
            pattern = signature.parameters[n]
            hint = meaning(pattern, found)
            if hint is None and pattern == signature.result:
                hint = wanted
            if hint is None and _is_empty(arguments[n]):
                return None
            hints[n] = hint
            if not matches(pattern, self.tried(arguments[n], hint).type, found):
                return None
        return found, hints

    def _applied(self, signature: Signature, found: dict, hints: list[SplType | None],
                 node: syntax.Invoke) -> Code:
        if signature.changes:
            self.check_mutable(node.arguments[0])
        codes = []
        for n, (argument, hint) in enumerate(zip(node.arguments, hints, strict=True), 1):
            code = self.value(argument, hint)
            text = self._before(code.text, node.arguments[n:], argument)
            codes.append(replace(code, text=text))
        self.module.impure |= signature.impure
        texts = [self.copied(c.type, c.text) if c.shared and signature.changes and n else c.text
                 for n, c in enumerate(codes)]
        if signature.outs:
            return self._given_out(signature, found, texts, node)
        kind = meaning(signature.result, found)
        text = self._filled(signature, texts, kind)
        shared = is_changeable(kind) and signature.text.startswith(("list(", "sliced", "{0}"))
        return Code(kind, wrapped(text, kind) if signature.wraps else text, shared)

    def _filled(self, signature: Signature, texts: list[str], kind: SplType) -> str:
        """The Python text of a call."""
        zero = self.default(kind) if "{zero}" in signature.text else ""
        made = self.module.record(TIME_PARTS) if "{zero_tm}" in signature.text else ""
        return signature.text.format(*texts, zero=zero, zero_tm=made)

    def _given_out(self, signature: Signature, found: dict, texts: list[str],
                   node: syntax.Invoke) -> Code:
        """A call that gives values to variables: a line before the statement."""
        places = {}
        for n in signature.outs:
            self.check_mutable(node.arguments[n])
            places[n] = self.settled(node.arguments[n])
            texts[n] = self.value(places[n]).text
        kind = meaning(signature.result, found)
        lines = self._place(node)
        given = lines.name("given")
        lines.add(f"{given} = {self._filled(signature, texts, kind)}", node.span)
        for n, place in enumerate(places.values(), 1):
            self.store(place, f"{given}[{n}]", node.span)
        return Code(kind, f"{given}[0]", is_changeable(kind))

    def _users(self, node: syntax.Invoke, name: str,
               declared: list[tuple[syntax.Function, Scope]]) -> Code:
        """The call of a user's function: the first of its name that takes these arguments."""
        if len(declared) == 1 and not declared[0][0].letters:
            return self._called(node, 0, name, *declared[0], self.types)
        for number, (function, scope) in enumerate(declared):
            types = self._types_for(function, node)
            if types is not None:
                return self._called(node, number, name, function, scope, types)
        given = ", ".join(str(self._type_of(a)) for a in node.arguments)
        raise ProgramError(f"no function {name} takes these arguments", node.span,
                           got=f"{name}({given})")

    def _types_for(self, function: syntax.Function, node: syntax.Invoke
                   ) -> Callable[[Node], SplType] | None:
        """What the types of a function mean for these arguments; None if it does not take them."""
        if len(node.arguments) != len(function.parameters):
            return None
        letters, found = {name.text: kind for kind, name in function.letters}, {}
        for parameter, argument in zip(function.parameters, node.arguments, strict=True):
            kind = self._kind_for(parameter.type, argument, letters, found)
            if kind is None or not fits_pattern(parameter.type, kind, letters, found, self.types):
                return None
        return lettered(self.types, found) if letters else self.types

    def _kind_for(self, pattern: Node, argument: Node, letters: Mapping[str, str],
                  found: Mapping[str, SplType]) -> SplType | None:
        """The type of an argument, which a literal takes from the parameter."""
        free = {n.name for n in syntax.walk(pattern) if isinstance(n, syntax.PlainType)} & (
            letters.keys() - found.keys())
        hint = None if free else lettered(self.types, found)(pattern)
        try:
            return self.tried(argument, hint).type
        except ProgramError:
            if hint is None:
                raise
            return None

    def _called(self, node: syntax.Invoke, number: int, name: str, function: syntax.Function,
                scope: Scope, types: Callable[[Node], SplType]) -> Code:
        if len(node.arguments) != len(function.parameters):
            raise ProgramError(f"{function.name.text} takes {len(function.parameters)} arguments",
                               node.span, got=str(len(node.arguments)))
        texts, changed, places = [], [], []
        for n, (parameter, argument) in enumerate(zip(function.parameters, node.arguments,
                                                      strict=True)):
            kind = types(parameter.type)
            if parameter.mutable:
                self.check_mutable(argument)
                if not isinstance(kind, Collection):
                    argument = self.settled(argument)
                    changed.append(n)
                    places.append(argument)
            text = self.fit(argument, kind, f"the argument {parameter.name.text}")
            texts.append(text if parameter.mutable else self._before(
                text, node.arguments[n + 1:], argument))
        kind = VOID if _is_void(function.result) else types(function.result)
        kinds = [types(p.type) for p in function.parameters] if function.letters else []
        python = "_".join(["f", field_name(name), *([str(number)] if number else []),
                           *(re.sub(r"\W+", "_", str(unbounded(k))) for k in kinds)])
        prints = name in self.module.functions.printing
        self.module.called.setdefault(python, Called(function, scope, types, tuple(changed),
                                                     prints))
        if prints:
            texts.append(self._printed(node))
        text = f"{python}({', '.join(texts)})"
        if not changed and not prints:
            return Code(kind, text, is_changeable(kind))
        lines = self._place(node)
        given = lines.name("given")
        lines.add(f"{given} = {text}", node.span)
        if prints:
            with lines.inside(f"for printed in {texts[-1]}:"):
                lines.add(lines.hand_on("printed"), node.span)
        if not changed:
            return Code(kind, given, is_changeable(kind))
        for n, place in enumerate(places, 1):
            self.store(place, f"{given}[{n}]", node.span)
        return Code(kind, f"{given}[0]", is_changeable(kind))

    def _printed(self, node: syntax.Invoke) -> str:
        """The name of a new list for what a function prints."""
        lines = self.lines
        if lines is None or lines.hand_on is None:
            raise ProgramError(f"{node.function.text} prints, which is for the logic of operators",
                               node.span, help="submit what is to be printed, and print it there")
        name = lines.name("texts")
        lines.add(f"{name} = []")
        return name


def _is_empty(node: Node) -> bool:
    """Whether it is a collection without anything, of which only its place tells the type."""
    return isinstance(node, (syntax.SetLiteral, syntax.ListLiteral)) and not node.items


def _is_void(node: Node) -> bool:
    return isinstance(node, syntax.PlainType) and node.name == "void"


def is_plain(node: Node) -> bool:
    """Whether it is a literal that becomes what its place wants."""
    if isinstance(node, syntax.Unary):
        return is_plain(node.operand)
    if isinstance(node, syntax.Binary):
        return is_plain(node.left) and is_plain(node.right)
    return (isinstance(node, (syntax.Number, syntax.Text)) and not node.suffix) or (
        isinstance(node, (syntax.SetLiteral, syntax.ListLiteral)))
