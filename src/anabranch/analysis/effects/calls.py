"""What a call does: which function is called, with what, and what comes back."""

from __future__ import annotations

import _abc
import abc
import ast
import collections
import dataclasses
import functools
import gc
import inspect
import itertools
import operator
import sys
import types
import typing
from dataclasses import dataclass, field, replace

from anabranch.analysis.effects import access, attributes, classes, operations
from anabranch.analysis.effects.environment import (
    are_fixed,
    is_a,
    thing_of,
    things_of,
)
from anabranch.analysis.effects.library import arrays, functions, methods, modules
from anabranch.analysis.effects.machine import (
    DEEPEST_CALL,
    EVERYTHING,
    MOST_FRAMES,
    SHARED_OBJECTS,
    AbstractMachine,
    CallFrame,
    LibraryCall,
    VariableScope,
)
from anabranch.analysis.effects.members import (
    BASES,
    base_of,
    binds_in_its_way,
    defining,
    has_own_equality,
    has_own_parts,
    is_built_in,
    is_generated,
    member,
    python_method,
    takes_its_object,
    unguarded,
)
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    KEY,
    NOTHING,
    OF,
    UNKNOWN,
    Bound,
    InnerFunction,
    Method,
    Object,
    Plain,
    SharedObject,
    Thing,
    Unlikely,
    Value,
    one_of,
    value,
)
from anabranch.analysis.scope import global_names, is_generator, local_names
from anabranch.analysis.syntax import Missing, body_of, shown_name, syntax_of
from anabranch.core.source import class_name, is_installed, package_of


@dataclass
class Arguments:
    """The arguments of a call; `rest` and `named_rest` are what stars may give."""

    args: list[Value]
    named: dict[str, Value] = field(default_factory=dict)
    rest: Value | None = None
    named_rest: Value | None = None
    texts: tuple[str | None, ...] = ()
    """The positional arguments that are written down as texts."""
    answers: Value = NOTHING
    """What the functions among them give to a library that calls them."""

    def text(self, position: int) -> str | None:
        return self.texts[position] if position < len(self.texts) else None

    def get(self, position: int, name: str | None = None) -> Value:
        """An argument; nothing when it is not given."""
        if name in self.named:
            return self.named[name]
        found = self.args[position] if position < len(self.args) else self.rest or NOTHING
        return found | (self.named_rest or NOTHING)

    def by_position(self, function: object) -> Arguments:
        """Those that are given by name stand where the function takes them."""
        return self.by_names(positions_of(function)) if self.named else self

    def by_names(self, names: tuple[str, ...]) -> Arguments:
        args, named = [*self.args], dict(self.named)
        for name in names[len(args):]:
            if name not in named:
                break
            args.append(named.pop(name))
        return replace(self, args=args, named=named)

    def keyword(self, name: str) -> Value:
        """An argument that can be given by its name alone."""
        return self.named.get(name, self.named_rest or NOTHING)

    @property
    def all(self) -> Value:
        return frozenset().union(*self.args, *self.named.values(), self.rest or NOTHING,
                                 self.named_rest or NOTHING, self.answers)

    @property
    def is_exact(self) -> bool:
        return self.rest is None and self.named_rest is None

    def before(self, *first: Value) -> Arguments:
        return replace(self, args=[*first, *self.args],
                       texts=(*(None for _ in first), *self.texts))

    def after(self, count: int) -> Arguments:
        return replace(self, args=self.args[count:], texts=self.texts[count:])


@functools.lru_cache(maxsize=4096)
def positions_of(function: object) -> tuple[str, ...]:
    """The names of what a function takes by position or by name, in order."""
    if any(function is known for known in UNSIGNED):
        return next(names for known, names in UNSIGNED.items() if known is function)
    try:
        parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


UNSIGNED = {
    collections.deque: ("iterable", "maxlen"), bytes: ("source", "encoding", "errors"),
    bytearray: ("source", "encoding", "errors"), str: ("object", "encoding", "errors"),
    itertools.repeat: ("object", "times"), itertools.count: ("start", "step"),
    functools.cmp_to_key: ("mycmp",)}
"""Functions of Python's own that do not say what they take."""


def call(w, node: ast.Call) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and (
            w.static(node.func) is super):
        return _super(w, node)
    called = w.value(node.func)
    return invoke_with(w, node, called, arguments(w, node))


def arguments(w, node: ast.Call) -> Arguments:
    any_order = functions.takes_any_order(w.static(node.func)) and not any(
        k.arg == "key" for k in node.keywords)
    given = Arguments([])
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            _starred(w, given, argument)
        elif given.rest is not None:
            given.rest |= w.value(argument)
        else:
            argument.any_order = any_order
            given.args.append(w.value(argument))
            given.texts += (_text(argument),)
    for keyword in node.keywords:
        found = w.value(keyword.value)
        if keyword.arg and attributes.mangled(w, keyword.arg) != keyword.arg:
            operations.later(w, keyword.value)
        if keyword.arg is None:
            given.named_rest = (given.named_rest or NOTHING).union(
                *(_named_by(w, keyword.value, t) for t in found))
        else:
            given.named[keyword.arg] = found
    return given


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _named_by(w, node: ast.AST, thing: Thing) -> Value:
    """The arguments in what is given behind two stars."""
    mapping = isinstance(thing, (Object, SharedObject)) and thing.cls is not None and issubclass(
        thing.cls, dict)
    if not mapping or access.is_mapped_in_its_way(thing):
        return operations.own_way(w, node)
    return access.values(w, thing)


def _starred(w, given: Arguments, argument: ast.Starred) -> None:
    found = w.value(argument.value)
    exact = [t for t in found if isinstance(t, Object) and t.cls is tuple]
    if given.rest is None and len(found) == len(exact) == 1:
        parts = w.m.heap.of(exact[0])
        if ELEMENT in parts and not parts[ELEMENT] and all(
                isinstance(k, int) for k in parts if k != ELEMENT):
            given.args.extend(parts[n] for n in range(len(parts) - 1))
            given.texts += (None,) * (len(parts) - 1)
            return
    given.rest = (given.rest or NOTHING) | access.iterate(w, argument, found)


def invoke(w, node: ast.AST, called: Value, args: list[Value]) -> Value:
    return invoke_with(w, node, called, Arguments(args))


def invoke_with(w, node: ast.AST, called: Value, given: Arguments) -> Value:
    # Nobody calls a number, so it is something else. A variable may begin with None.
    if all(isinstance(t, Plain) for t in called) and any(
            t.cls is not type(None) for t in called):
        return no_source(w, node, given)
    return frozenset().union(*(_call(w, node, thing, given) for thing in called))


def _call(w, node: ast.AST, thing: Thing, given: Arguments) -> Value:
    if thing is ANYTHING:
        return not_known(w, node, given)
    if isinstance(thing, InnerFunction):
        return _run_inner(w, node, thing, given)
    if isinstance(thing, Unlikely):
        return _call(w, node, thing.function, given)
    if isinstance(thing, Bound) and _is_replace(thing):
        return functions.replaced(w, node, given.before(value(thing.owner)))
    if isinstance(thing, Bound):
        return _call(w, node, thing.function, given.before(value(thing.owner)))
    if isinstance(thing, Method):
        return methods.call(w, node, thing, given)
    if isinstance(thing, SharedObject):
        found = NOTHING
        for each in thing.members:
            found |= _call_shared(w, node, thing if len(thing.members) == 1 else thing_of(
                each, thing.name, thing.label), each, given)
        return found
    if isinstance(thing, Object):
        return _call_object(w, node, thing, given)
    return no_source(w, node, given) if thing.cls is types.GenericAlias else NOTHING


def _is_replace(thing: Bound) -> bool:
    """Whether it is the `_replace` that every named tuple has."""
    cls, function = thing.owner.cls, getattr(thing.function, "value", None)
    return cls is not None and issubclass(cls, tuple) and (
        getattr(function, "__name__", "") == "_replace") and is_generated(
            defining(cls, "_replace"), function) and not has_own_parts(cls)


def shown(node: ast.AST) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def not_known(w, node: ast.AST, given: Arguments) -> Value:
    name = shown(node)
    of_object = isinstance(getattr(node, "func", None), ast.Attribute)
    return _unresolved(w, node, name, f"calls `{name}` of an object whose type is not known"
                       if of_object else f"calls `{name}`, which is known only when it runs", given,
                       frozenset((SHARED_OBJECTS,)))


def called_name(w, node: ast.AST) -> str:
    """What is called, as it is written; a function that is given away has its own name."""
    own = w.static(node.func) if isinstance(node, ast.Call) else None
    away = callable(own) and w.m.called is not None and own is not w.m.called.value
    return w.m.called.name if away else shown(node)


def no_source(w, node: ast.AST, given: Arguments) -> Value:
    name = called_name(w, node)
    return _unresolved(w, node, name, f"calls `{name}`, whose source cannot be found", given)


def _unresolved(w, node: ast.AST, name: str, reason: str, given: Arguments,
                identity: frozenset = frozenset()) -> Value:
    """An unknown call may do anything, above all to the objects that it is given."""
    result = w.unproved(node, name, reason, identity)
    for thing in w.m.heap.reached(given.all):
        if isinstance(thing, SharedObject) and not are_fixed(thing):
            w.m.unresolved(thing.name, f"gives {thing.label} to `{name}`", w.at(node),
                           w.m.changing(thing))
        elif isinstance(thing, SharedObject) and is_a(thing.value, type) and not is_standard(
                thing.value):
            w.m.unresolved(thing.name, f"gives {thing.label} to `{name}`", w.at(node), frozenset(
                n for n in vars(thing.value) if not n.startswith("__")))
        elif isinstance(thing, Object):
            w.m.change(thing, w.at(node), name)
    return result


def _call_shared(w, node: ast.AST, thing: SharedObject, found: object, given: Arguments) -> Value:
    w.m.called = thing
    model = functions.MODELS.get(id(found))
    if model is not None:
        return model(w, node, given.by_position(found))
    if is_a(found, type):
        return classes.instantiate(w, node, found, given)
    if python_method(thing, "__call__") is not None:
        return special(w, node, thing, "__call__", given=given)
    if is_a(found, functools.partial):
        return _call_partial(w, node, found, given)
    if is_a(found, functools._lru_cache_wrapper):
        return _remembered(w, node, thing, found, given)
    if is_a(found, types.MethodType):
        owner = value(thing_of(found.__self__, thing.name, thing.label))
        return _call(w, node, thing_of(found.__func__, thing.name, thing.label),
                     given.before(owner))
    if arrays.is_function(found):
        return arrays.call(w, node, found, given)
    if is_a(found, types.BuiltinFunctionType) and not isinstance(
            found.__self__, (types.ModuleType, type(None))):
        owner = thing_of(found.__self__, thing.name, thing.label)
        return methods.call(w, node, Method(base_of(type(found.__self__)) if not isinstance(
            found.__self__, type) else base_of(found.__self__), found.__name__, owner), given)
    if is_a(found, types.MethodWrapperType):
        owner = thing_of(found.__self__, thing.name, thing.label)
        return methods.call(w, node, Method(type(found.__self__), found.__name__, owner), given)
    if is_a(found, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return methods.of_class(w, node, found, given)
    if is_a(found, types.FunctionType) and not modules.is_library(found):
        return run(w, node, found, given)
    if is_a(found, (types.FunctionType, types.BuiltinFunctionType)):
        return modules.call(w, node, found, given)
    if is_a(found, (operator.itemgetter, operator.attrgetter, operator.methodcaller)):
        return functions.getter(w, node, found, given)
    effect = modules.effect_of_module(modules.module_of(found))
    if effect is not None:
        return modules.has_effect(w, node, effect)
    return no_source(w, node, given)


def _call_object(w, node: ast.AST, thing: Object, given: Arguments) -> Value:
    if thing.cls is None:
        w.m.change(thing, w.at(node), shown(node))
        _call_held(w, node, thing, given)
        return access.library_object(w, node, value(thing) | given.all)
    if thing.cls in access.CALLING:
        first = w.m.heap.get(thing, ELEMENT)
        return invoke_with(w, node, w.m.heap.get(thing, OF), Arguments(
            [], dict(given.named), first | given.all))
    if python_method(thing, "__call__") is not None:
        return special(w, node, thing, "__call__", given=given)
    return no_source(w, node, given)


def _call_held(w, node: ast.AST, thing: Object, given: Arguments) -> None:
    """What a library's object holds it may call."""
    held = frozenset(filter(modules.is_function, w.m.heap.reached(value(thing))))
    if held:
        modules.call_back(w, node, held, given.all | access.everything_in(w, thing) - held)


def _call_partial(w, node: ast.AST, found: functools.partial, given: Arguments) -> Value:
    root = SharedObject((found,), shown_name(found.func), f"what `{shown(node)}` is given", found)
    first = [things_of([a], root) for a in found.args]
    named = {n: things_of([a], root) for n, a in found.keywords.items()}
    whole = replace(given.before(*first), named=named | given.named)
    return _call(w, node, thing_of(found.func, shown_name(found.func), "a function"), whole)


def _remembered(w, node: ast.AST, thing: SharedObject, found: object, given: Arguments) -> Value:
    """A function with a memory gives the same object to all who ask for equal arguments."""
    if not any(held is found.__wrapped__ for held in gc.get_referents(found)):
        # Somebody has said that it is made of another function.
        return no_source(w, node, given)
    if modules.is_library(found.__wrapped__):
        return modules.call(w, node, found.__wrapped__, given)
    operations.hashed(w, node, given.all)
    if not all(map(_alike, access.reached(w, given.all))) or not _one_kind_of_number(
            w, given, found.cache_parameters()["typed"]):
        w.unproved(node, shown(node), f"calls `{shown(node)}`, which remembers what it gave for "
                     "equal arguments, and these may be equal and yet differ")
    result = _call(w, node, thing_of(found.__wrapped__, thing.name, thing.label), given)
    kept = frozenset(t for t in result if not isinstance(t, Plain))
    if kept and not _never_changes(w, kept):
        name = shown(node)
        remembered = SharedObject((found,), name, f"what `{name}` remembers")
        return value(remembered, *(result - kept)) | UNKNOWN
    return result


def _one_kind_of_number(w, given: Arguments, typed: bool) -> bool:
    numbers = {t.cls for t in access.reached(w, given.all) if isinstance(t, Plain)
               and t.cls not in (str, bytes, type(None))}
    return not numbers - ({int, bool} if typed else {int}) or numbers == {bool}


def _alike(thing: Thing) -> bool:
    """Whether an argument that is equal to this one is the same in all that can be seen of it."""
    cls = thing.cls
    if isinstance(thing, (Plain, InnerFunction, Bound, Method)) or cls in (tuple, None):
        return True
    if dataclasses.is_dataclass(cls):
        own = member(cls, "__eq__")
        return is_generated(defining(cls, "__eq__"), own) and all(
            f.compare for f in cls.__dataclass_fields__.values())
    return not has_own_equality(cls)


def _never_changes(w, found: Value) -> bool:
    return all(isinstance(t, Plain) or (isinstance(t, Object) and t.cls is not None and issubclass(
        t.cls, (tuple, frozenset))) for t in w.m.heap.reached(found))


# Functions written in Python

def special(w, node: ast.AST, thing: Object | SharedObject, name: str, *args: Value,
            given: Arguments | None = None) -> Value:
    """Runs a special method of the object's class."""
    found = member(thing.cls, name)
    given = given or Arguments(list(args))
    if binds_in_its_way(found):
        return operations.own_way(w, node)
    if is_a(found, classmethod):
        kind = thing_of(thing.cls, class_name(thing.cls), "its class")
        return _call(w, node, thing_of(found.__func__, name, f"`{name}`"),
                     given.before(value(kind)))
    bound_first = False if is_a(found, staticmethod) else takes_its_object(found)
    if bound_first is None:
        return operations.own_way(w, node)
    function = found.__func__ if is_a(found, staticmethod) else unguarded(found)
    return _call(w, node, thing_of(function, name, f"`{name}`"),
                 given.before(value(thing)) if bound_first else given)


def run(w, node: ast.AST, function: object, given: Arguments) -> Value:
    """What a function written in Python gives when it is called with these."""
    syntax = syntax_of(unguarded(function))
    if isinstance(syntax, Missing):
        name = shown_name(function)
        return w.unproved(node, name, f"calls `{name}`: {syntax.reason}")
    defaults = {n: value(seen(w, node, thing_of(v, n, f"the default value of `{n}`")))
                for n, v in syntax.defaults.items()}
    values = bound(w, node, syntax.node, given, defaults)
    return _framed(w, node, (syntax.function, *_key(values)), syntax.function, syntax, syntax.node,
                   None, values)


def seen(w, node: ast.AST, thing: Thing) -> Thing:
    """A thing that a function has from outside without naming it: what can change is noted. Of an
    object it is noted where its attributes are read."""
    if isinstance(thing, SharedObject) and not are_fixed(thing) and (
            base_of(thing.cls) in BASES or is_standard(thing.cls)):
        w.m.reads(thing, w.at(node))
    return thing


def _key(values: dict[str, Value]) -> tuple:
    return tuple(sorted(values.items(), key=lambda item: item[0]))


def inner_defaults(m: AbstractMachine, node: ast.AST, scope: VariableScope) -> VariableScope:
    key = (node, scope, "defaults")
    if key not in m.inner_scopes:
        m.inner_scopes[key] = VariableScope(frozenset(), scope.syntax, node)
    return m.inner_scopes[key]


def _run_inner(w, node: ast.AST, thing: InnerFunction, given: Arguments) -> Value:
    defaults = inner_defaults(w.m, thing.node, thing.scope).variables
    values = bound(w, node, thing.node, given, defaults)
    return _framed(w, node, (thing.node, thing.scope, *_key(values)), (thing.node, thing.scope),
                   thing.scope.syntax, thing.node, thing.scope, values)


def _framed(w, node: ast.AST, key: object, function: object, syntax, definition: ast.AST,
            parent: VariableScope | None, values: dict[str, Value]) -> Value:
    m = w.m
    if m.hashing:
        key = (key, "hashed")
    if key not in m.frames:
        m.frames_of[function] = m.frames_of.get(function, 0) + 1
        if m.frames_of[function] > MOST_FRAMES:
            key = (function, "any arguments")
    if key not in m.frames:
        m.frames[key] = new_frame(syntax, definition, parent)
        m.version += 1
    frame = m.frames[key]
    for name, found in values.items():
        m.bind(frame.scope, name, found)
    if key not in m.walked:
        m.walked.add(key)
        if m.depth >= DEEPEST_CALL or (m.knows_enough and is_installed(syntax.file)):
            return w.unproved(node, shown(node), "calls too deeply to be followed",
                              NOWHERE if is_installed(syntax.file) else ANYWHERE)
        m.enter()
        before, outside = len(m.touched), m.library_call
        m.library_call = outside or _into_a_package(w, node, syntax)
        type(w)(m, frame.scope, frame).block(body_of(definition))
        m.library_call = outside
        frame.touched = tuple(dict.fromkeys(m.touched[before:]))
        m.depth -= 1
    else:
        m.touched.extend(frame.touched)
    return result_of(w, node, frame, definition)


NOWHERE: frozenset = frozenset()
ANYWHERE = frozenset((SHARED_OBJECTS, EVERYTHING))
"""What a function of the user's that is not walked may change."""
FOLLOWED = ("numpy",)
"""Packages that the analysis knows well: what it says of them names the place inside of them."""


def _into_a_package(w, node: ast.AST, called) -> LibraryCall | None:
    """The call, if it leads from the user's text into a package's."""
    package = package_of(called.file)
    if package is None or package in FOLLOWED or is_installed(w.scope.syntax.file):
        return None
    return LibraryCall(package, called_name(w, node), w.at(node))


def new_frame(syntax, definition: ast.AST, parent: VariableScope | None) -> CallFrame:
    return CallFrame(VariableScope(local_names(definition), syntax, definition, parent,
                       outer=global_names(definition)))


def result_of(w, node: ast.AST, frame: CallFrame, definition: ast.AST) -> Value:
    if is_generator(definition):
        thing = Object("made", (node, frame, "generator"), types.GeneratorType)
        w.m.carry(frame.returned)
        w.m.heap.put(thing, ELEMENT, frame.yielded)
        w.m.generators[thing] = frame
        return value(thing)
    return frame.returned | (one_of(type(None)) if _falls_through(definition) else NOTHING)


@functools.lru_cache(maxsize=4096)
def _falls_through(definition: ast.AST) -> bool:
    if isinstance(definition, ast.Lambda):
        return False
    last = definition.body[-1]
    return not isinstance(last, (ast.Return, ast.Raise))


def returned_by(m: AbstractMachine, found: Value) -> Value:
    """What `yield from` gives: what the generators return."""
    return frozenset().union(*(
        m.generators[t].returned if t in m.generators else one_of(type(None)) for t in found))


def bound(w, node: ast.AST, definition: ast.AST, given: Arguments, defaults: dict[str, Value]
          ) -> dict[str, Value]:
    """The value of every parameter: given, or its default."""
    a = definition.args
    positional = [x.arg for x in (*a.posonlyargs, *a.args)]
    named = [*positional[len(a.posonlyargs):], *(x.arg for x in a.kwonlyargs)]
    values = dict(zip(positional, given.args))
    for name in (*positional, *(x.arg for x in a.kwonlyargs)):
        if name in named and name in given.named:
            values[name] = given.named[name]
        elif name not in values:
            stars = (given.rest or NOTHING if name in positional else NOTHING) | (
                given.named_rest or NOTHING if name in named else NOTHING)
            values[name] = stars | defaults.get(name, NOTHING)
    if a.vararg is not None:
        extra = given.args[len(positional):]
        parts = dict(enumerate(extra)) if given.rest is None else {}
        values[a.vararg.arg] = _tuple(w, node, definition, extra, given.rest, parts)
    if a.kwarg is not None:
        more = [v for n, v in given.named.items() if n not in named]
        found = frozenset().union(*more, given.named_rest or NOTHING)
        thing = Object("made", (node, definition, w.frame, "**"), dict)
        w.m.heap.put(thing, ELEMENT, found)
        w.m.heap.put(thing, KEY, one_of(str))
        values[a.kwarg.arg] = value(thing)
    return values


def _tuple(w, node, definition, extra: list[Value], rest: Value | None, parts: dict) -> Value:
    thing = Object("made", (node, definition, w.frame, "*", len(extra)), tuple)
    w.m.heap.put(thing, ELEMENT, rest or NOTHING)
    for number, found in parts.items():
        w.m.heap.put(thing, number, found)
    if not parts:
        w.m.heap.put(thing, ELEMENT, frozenset().union(*extra))
    return value(thing)


# Classes and exceptions

@dataclass(frozen=True)
class Super(Thing):
    """`super()`: an object as a class further up sees it."""

    after: type
    owner: Thing


def _super(w, node: ast.AST) -> Value:
    scope = w.scope.function
    while scope.parent is not None:
        scope = scope.parent.function
    function = scope.syntax.function
    free = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    names = function.__code__.co_varnames[:1]
    if "__class__" not in free or not names:
        return operations.later(w, node)
    after = free["__class__"].cell_contents
    return frozenset(Super(after, owner) for owner in scope.variables.get(names[0], NOTHING))


def super_attribute(w, node: ast.AST, thing: Super, attribute: str) -> Value:
    owner = thing.owner
    is_class = isinstance(owner, SharedObject) and is_a(owner.value, type)
    cls = owner.value if is_class else owner.cls
    if cls is None or owner is ANYTHING or thing.after not in cls.__mro__:
        return operations.unknown(w, node, "looks up")
    after = cls.__mro__[cls.__mro__.index(thing.after) + 1:]
    for base in after:
        if attribute in vars(base):
            found = vars(base)[attribute]
            if binds_in_its_way(found):
                return operations.own_way(w, node)
            if is_a(found, types.FunctionType):
                function = thing_of(found, attribute, f"`{attribute}`")
                return value(Bound(function, owner))
            if is_a(found, classmethod):
                kind = owner if is_class else thing_of(cls, class_name(cls), "its class")
                return value(Bound(thing_of(found.__func__, attribute, attribute), kind))
            if is_a(found, property):
                return invoke(w, node, value(thing_of(found.fget, attribute, attribute)),
                              [value(owner)])
            if not is_built_in(found, attribute):
                return attributes.member_of(w, node, cls, found, attribute,
                                            None if is_class else owner)
            return value(Method(base_of(base) if base is not object else object, attribute, owner))
    return NOTHING


def raised(w, node: ast.AST, found: Value) -> Value:
    """The exceptions that `raise` gives: a class is called first."""
    result = NOTHING
    for thing in found:
        if isinstance(thing, SharedObject) and is_a(thing.value, type):
            result |= classes.instantiate(w, node, thing.value, Arguments([]))
        else:
            result |= value(thing)
    return result


def instances(w, node: ast.AST, subject: Value, tested: Value) -> Value:
    """The things of a value that may be of these classes; the class may say so itself."""
    kept = NOTHING
    if any(isinstance(t, (Object, SharedObject)) and t.cls is not None
           and attributes.says_its_class(t.cls) for t in subject):
        operations.own_way(w, node)
    for thing in tested:
        if (isinstance(thing, Object) and thing.cls is tuple) or (
                isinstance(thing, SharedObject) and is_a(thing.value, tuple)):
            kept |= instances(w, node, subject, access.elements(w, thing))
            continue
        if not (isinstance(thing, SharedObject) and is_a(thing.value, type)):
            if not (isinstance(thing, Plain) and thing.cls is types.UnionType):
                operations.unknown(w, node, "tests")
            kept |= subject
            continue
        cls = thing.value
        for name in CHECKS:
            if python_method(thing, name) is not None:
                special(w, node, thing, name, subject)
        _asked_as_a_base(w, node, thing, subject)
        kept |= frozenset(t for t in subject if t.cls is None or _may_be(t.cls, cls))
    return kept


def _asked_as_a_base(w, node: ast.AST, thing: SharedObject, subject: Value) -> None:
    """What an abstract class asks: itself, the classes below it and those that are registered with
    them; a protocol asks the object for all that it names."""
    below = [thing.value]
    for cls in below:
        hook = member(cls, "__subclasshook__")
        if isinstance(hook, classmethod) and not is_standard(hook.__func__):
            kind = thing_of(cls, class_name(cls), "a class")
            run(w, node, hook.__func__, Arguments([value(kind), UNKNOWN]))
        if not is_a(cls, abc.ABCMeta):
            continue
        if cls is not thing.value and any(
                python_method(thing_of(cls, "", ""), name) is not None for name in CHECKS):
            operations.own_way(w, node, class_name(cls))
        registered = filter(None, (each() for each in _abc._get_dump(cls)[0]))
        below.extend(c for c in (*type.__subclasses__(cls), *registered)
                     if not any(c is known for known in below))
    if vars(thing.value).get("_is_protocol"):
        asked = frozenset(t for t in subject if isinstance(t, (Object, SharedObject)))
        for name in typing._get_protocol_attrs(thing.value):
            attributes.get_attribute(w, node, asked, name)


CHECKS = ("__instancecheck__", "__subclasscheck__")


def _may_be(cls: type, tested: type) -> bool:
    return any(base is tested for base in cls.__mro__) or type(tested) is not type


def is_standard(found: object) -> bool:
    """Whether a function or a class is one of the standard library or of NumPy."""
    return is_standard_module(modules.module_of(found))


def is_standard_module(module: str | None) -> bool:
    return (module or "").split(".")[0] in sys.stdlib_module_names or (module or "").startswith(
        "numpy")
