"""One analysis: what was found of an operator's functions and all that they call.

Variables and objects only ever come to be more, so the functions are walked again until nothing new
is found.
"""

from __future__ import annotations

import ast
import fractions
import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anabranch.analysis.effects.environment import concerns_everything, identity_of
from anabranch.analysis.effects.values import (
    ANYTHING,
    NOTHING,
    Heap,
    Object,
    SharedObject,
    Thing,
    Value,
)
from anabranch.analysis.fact import ITEMS, Effect, EffectKind
from anabranch.analysis.syntax import FunctionSyntax
from anabranch.core.source import Span

SHARED_OBJECTS = "shared objects"
"""In the identity of an effect: it may be any object that is shared."""
EVERYTHING = "everything"
"""In the identity of an effect: it may change what any other function does."""
CHANGED_BY_FORCE = (struct.Struct, fractions.Fraction, uuid.UUID, np.dtype)
"""Classes of values of which nothing changes, unless somebody writes into their slots."""
MOST_PASSES = 60
MOST_FRAMES = 12
DEEPEST_CALL = 25
MOST_WALKS = 4_000
"""So many calls are walked in one analysis, again and again: more is too intricate."""
ENOUGH_WALKS = 400
"""So many are walked where something is not known already: calls of what is installed, which
would only add to it, are not followed any further."""


@dataclass(eq=False)
class VariableScope:
    """The variables of a function, or of a comprehension within it."""

    names: frozenset[str]
    syntax: FunctionSyntax
    node: ast.AST | None
    parent: VariableScope | None = None
    comprehension: bool = False
    outer: frozenset[str] = frozenset()
    variables: dict[str, Value] = field(default_factory=dict)

    def holder(self, name: str) -> VariableScope | None:
        """The scope that a name is a variable of; None when it comes from outside."""
        scope = self
        while scope is not None and name not in scope.names:
            scope = None if name in scope.outer else scope.parent
        return scope

    @property
    def function(self) -> VariableScope:
        """The scope of the function that a comprehension stands in."""
        scope = self
        while scope.comprehension:
            scope = scope.parent
        return scope


@dataclass(eq=False)
class CallFrame:
    """A function called with certain arguments: what it gives, and what is sent to it."""

    scope: VariableScope
    returned: Value = NOTHING
    emitted: dict[ast.AST, Value] = field(default_factory=dict)
    sent: Value = NOTHING
    touched: tuple[Object, ...] = ()

    @property
    def yielded(self) -> Value:
        return frozenset().union(*self.emitted.values())


@dataclass(frozen=True)
class LibraryCall:
    """Where the user's text calls into a package: all that happens inside is told there."""

    package: str
    name: str
    span: Span


class TooIntricateError(Exception):
    """There is too much to be walked."""


class AbstractMachine:
    """Collects effects, objects, and which of them are changed."""

    def __init__(self):
        self.heap = Heap()
        self.effects: dict[tuple, Effect] = {}
        self.changed: set[Object] = set()
        self.frames: dict[object, CallFrame] = {}
        self.frames_of: dict[object, int] = {}
        self.walked: set[object] = set()
        self.called: SharedObject | None = None
        self.depth = 0
        self.walks = 0
        self.version = 0
        self.inner_scopes: dict[object, VariableScope] = {}
        self.generators: dict[Object, CallFrame] = {}
        self.evaluated: dict[tuple[ast.AST, CallFrame], tuple[object, Value]] = {}
        self.vague = False
        self.touched: list[Object] = []
        self.library_call: LibraryCall | None = None
        self.carried: Value = NOTHING
        self.hashing = False
        self.identities: dict[SharedObject, frozenset] = {}

    def settle(self, run: Callable[[], None], at: Span | None) -> None:
        """Runs until nothing new is found. What cannot be followed is not known."""
        try:
            for _ in range(MOST_PASSES):
                self.touched.clear()
                before = self.version, self.heap.version, len(self.changed)
                self.walked.clear()
                self.evaluated.clear()
                run()
                if before == (self.version, self.heap.version, len(self.changed)):
                    return
        except (RecursionError, TooIntricateError):
            self.depth = 0
        # What was not followed may change whatever others look at.
        self.unresolved("?", "is too intricate to be followed", at,
                        frozenset((SHARED_OBJECTS, EVERYTHING)))

    @property
    def is_unresolved(self) -> bool:
        """Whether anything was found that is not known."""
        return any(effect.kind is EffectKind.UNRESOLVED for effect in self.effects.values())

    def enter(self) -> None:
        """One more call is walked."""
        self.walks += 1
        self.depth += 1
        if self.walks > MOST_WALKS:
            raise TooIntricateError

    @property
    def knows_enough(self) -> bool:
        """Whether code that is not the user's need not be walked: it would change nothing."""
        return self.walks > ENOUGH_WALKS and self.is_unresolved

    # Variables and frames

    def bind(self, scope: VariableScope, name: str, found: Value) -> None:
        before = scope.variables.get(name, NOTHING)
        if not found <= before:
            scope.variables[name] = before | found
            self.version += 1

    def returns(self, frame: CallFrame, found: Value) -> None:
        if not found <= frame.returned:
            frame.returned |= found
            self.version += 1

    def emits(self, frame: CallFrame, node: ast.AST, found: Value) -> None:
        before = frame.emitted.get(node, NOTHING)
        if node not in frame.emitted or not found <= before:
            frame.emitted[node] = before | found
            self.version += 1

    def sends(self, frame: CallFrame, found: Value) -> None:
        if not found <= frame.sent:
            frame.sent |= found
            self.version += 1

    def carry(self, found: Value) -> None:
        """An exception of Python's own may carry these: a key that is missing, what a generator
        returns."""
        objects = frozenset(t for t in found if isinstance(t, (Object, SharedObject)))
        if not objects <= self.carried:
            self.carried |= objects
            self.version += 1

    @property
    def raised(self) -> VariableScope:
        """The exceptions that the walked functions raise."""
        if "raised" not in self.inner_scopes:
            self.inner_scopes["raised"] = VariableScope(frozenset(("raised",)), None, None)
        return self.inner_scopes["raised"]

    def throws(self, found: Value) -> None:
        self.bind(self.raised, "raised", found)

    # Effects

    def identity(self, thing: SharedObject) -> frozenset:
        """The objects that it is, and all that lie in them: they are the same all through one
        analysis, and tables are looked through once."""
        if thing not in self.identities:
            self.identities[thing] = identity_of(thing)
        return self.identities[thing]

    def changing(self, thing: SharedObject) -> frozenset:
        """Whom a change of it concerns."""
        return self.identity(thing) | (
            {EVERYTHING} if concerns_everything(thing) else frozenset())

    def add(self, kind: EffectKind, name: str, reason: str, span: Span | None,
            identity: frozenset = frozenset()) -> None:
        if self.library_call is not None:
            # The user's line, and not one of a package that they have never read.
            call = self.library_call
            reason, span = f"in {call.package}, called by `{call.name}`, {reason}", call.span
        known = self.effects.get((kind, name, span))
        identity = identity if known is None else identity | known.identity
        reason = reason if known is None else min(reason, known.reason)
        package = self.library_call and self.library_call.package
        self.effects[kind, name, span] = Effect(kind, name, reason, span, identity, package)

    def unresolved(self, name: str, reason: str, span: Span | None,
                   identity: frozenset = frozenset()) -> None:
        self.add(EffectKind.UNRESOLVED, name, reason, span, identity)

    def reads(self, thing: SharedObject, span: Span | None, attribute: str | None = None) -> None:
        names = frozenset((attribute,)) if attribute else frozenset()
        self.add(EffectKind.READS_SHARED, thing.name, f"reads {thing.label}", span,
                 self.identity(thing) | names | {SHARED_OBJECTS})

    def change(self, thing: Thing, span: Span | None, shown: str, verb: str = "changes") -> None:
        """The object is changed: who else may notice decides what that means."""
        if isinstance(thing, Object):
            known = thing in self.changed
            self.changed.add(thing)
            self.touched.append(thing)
            if thing.cls is None and not known:
                # What a library's object does to all that it holds is not known.
                for inside in self.heap.reached(frozenset((thing,))) - {thing}:
                    self.change(inside, span, shown, verb)
            if thing.origin == "item":
                self.add(EffectKind.WRITES, thing.name, f"{verb} `{shown}`, a part of its input",
                         span, frozenset((ITEMS,)))
        elif isinstance(thing, SharedObject):
            self.add(EffectKind.WRITES, thing.name, f"{verb} {thing.label}", span,
                     self.changing(thing))
        elif thing.cls in CHANGED_BY_FORCE:
            self.unresolved(shown, f"uses `{shown}`, which lies behind an object", span,
                            frozenset((SHARED_OBJECTS, EVERYTHING)))
        elif thing is ANYTHING:
            self.add(EffectKind.WRITES, shown, f"{verb} `{shown}`, which may be shared", span,
                     frozenset((SHARED_OBJECTS, ITEMS)))
