"""Attributes: what is read from an object, a class or a module, and put there."""

from __future__ import annotations

import ast
import collections
import datetime
import decimal
import enum
import functools
import threading
import types

import numpy as np

from anabranch.analysis.effects import access, calls, operations
from anabranch.analysis.effects.environment import (
    OPEN,
    PLAIN,
    are_fixed,
    attribute_of,
    is_a,
    is_fixed,
    module_of_class,
    thing_of,
    things_of,
)
from anabranch.analysis.effects.library import arrays, modules
from anabranch.analysis.effects.machine import SHARED_OBJECTS
from anabranch.analysis.effects.members import (
    KNOWN,
    MISSING,
    NAMED,
    TRUSTED,
    base_of,
    binds_in_its_way,
    defining,
    fields_of_tuple,
    has_own_parts,
    is_built_in,
    is_generated,
    member,
    python_method,
)
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    NONE,
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
from anabranch.analysis.fact import EffectKind
from anabranch.core.source import class_name


def mangled(w, attribute: str) -> str:
    """A private name as the class that its method stands in has it."""
    parts = w.scope.syntax.code.co_qualname.split(".")
    private = attribute.startswith("__") and not attribute.endswith("__")
    inside = len(parts) > 1 and parts[-2] != "<locals>"
    return f"_{parts[-2].lstrip('_')}{attribute}" if private and inside else attribute


def get_attribute(w, node: ast.AST, found: Value, attribute: str) -> Value:
    attribute = mangled(w, attribute)
    return frozenset().union(*(_attribute(w, node, thing, attribute) for thing in found))


def _attribute(w, node: ast.AST, thing: Thing, attribute: str) -> Value:
    if thing is ANYTHING:
        shown = ast.unparse(node)
        return w.unproved(node, shown, f"looks up `{shown}` of an object whose type is not "
                            "known", frozenset((SHARED_OBJECTS,)))
    if isinstance(thing, Plain):
        return _plain_attribute(w, node, thing, attribute)
    if isinstance(thing, calls.Super):
        return calls.super_attribute(w, node, thing, attribute)
    if isinstance(thing, (InnerFunction, Bound, Method, Unlikely)):
        if attribute in TEXTS:
            return one_of(str)
        return operations.behind(w, node)
    if thing.cls is None:
        if attribute.startswith(BEHIND):
            return operations.behind(w, node)
        if attribute in TEXTS:
            return one_of(str)
        return value(Method(None, attribute, thing), thing) | access.everything_in(w, thing)
    if isinstance(thing, SharedObject):
        if is_a(thing.value, types.ModuleType):
            return _of_module(w, node, thing, attribute)
        if is_a(thing.value, type):
            return _of_class(w, node, thing, attribute)
        if is_a(thing.value, types.FunctionType):
            return _of_function(w, node, thing, attribute)
    return _of_instance(w, node, thing, attribute)


BEHIND = ("__traceback__", "__cause__", "__context__", "__dict__", "__self__", "__globals__",
          "__subclasses__", "__bases__", "__base__", "__mro__", "mro", "tb_", "f_", "gi_")
"""How the names begin of what lies behind an object of a library."""
HEAP_TYPE = 1 << 9
GENERIC = (types.GenericAlias, types.UnionType)
NAMES = ("__name__", "__qualname__")
TEXTS = (*NAMES, "__module__", "__doc__")


def _is_text(found: object) -> bool:
    """Whether it is what Python puts there; a program may put anything in its place."""
    return found is MISSING or type(found) in (str, type(None))


def _plain_attribute(w, node: ast.AST, thing: Plain, attribute: str) -> Value:
    found = member(thing.cls, attribute)
    if found is MISSING:
        return NOTHING
    if attribute == "__class__":
        name = class_name(thing.cls)
        return value(SharedObject((thing.cls,), name, f"the class `{name}`"))
    if thing.cls in GENERIC and attribute not in TEXTS:
        # It holds classes, which may be the user's.
        return operations.behind(w, node)
    if callable(found) or is_a(found, classmethod):
        return value(Method(thing.cls, attribute, thing))
    if attribute == "tzinfo":
        return value(NONE) | UNKNOWN
    samples = operations.SAMPLES.get(thing.cls, ())
    classes = {type(getattr(sample, attribute, None)) for sample in samples}
    if classes and classes <= PLAIN:
        return one_of(*classes)
    return access.library_object(w, node, NOTHING, attribute)


def _of_module(w, node: ast.AST, thing: SharedObject, attribute: str) -> Value:
    module = thing.value
    if type(module) is not types.ModuleType:
        return operations.own_way(w, node)
    if attribute not in vars(module) and module.__name__ == "numpy":
        # Parts of it are loaded when they are first asked for.
        getattr(module, attribute, None)
    if attribute == "__dict__":
        return operations.behind(w, node, everything=True)
    if attribute not in vars(module):
        return operations.own_way(w, node) if "__getattr__" in vars(module) else w.unproved(
            node, ast.unparse(node), f"uses `{ast.unparse(node)}`, which has no value yet")
    found, name = vars(module)[attribute], ast.unparse(node)
    standard = calls.is_standard_module(module.__name__)
    if standard and type(found) in (list, dict, set) and (
            attribute.startswith("_") or modules.effect_of_module(module.__name__) is not None):
        # What the interpreter keeps for itself is not the same in another process.
        return operations.own_way(w, node)
    part = thing_of(found, name, f"the global {type(found).__name__} `{name}`")
    return _read_outside(w, node, part, found, attribute,
                         standard and (callable(found) or is_fixed(found)))


def _read_outside(w, node: ast.AST, part: Thing, found: object, attribute: str,
                  quiet: bool = False) -> Value:
    """Data of a module or a class, which may be assigned elsewhere, or changed."""
    if not quiet and not is_a(found, OPEN) and not (is_a(found, enum.Enum) and is_fixed(found)):
        name = getattr(part, "name", "") or ast.unparse(node)
        if isinstance(part, SharedObject):
            w.m.reads(part, w.at(node), attribute)
        else:
            w.m.add(EffectKind.READS_SHARED, name, f"reads the global {type(found).__name__} "
                    f"`{name}`", w.at(node), frozenset((attribute,)))
    return value(part)


def _of_function(w, node: ast.AST, thing: SharedObject, attribute: str) -> Value:
    if attribute in TEXTS and _is_text(getattr(thing.value, attribute)):
        return one_of(str)
    if attribute in vars(thing.value):
        found = vars(thing.value)[attribute]
        name = ast.unparse(node)
        part = thing_of(found, name, f"the global {type(found).__name__} `{name}`")
        return _read_outside(w, node, part, found, attribute)
    if member(types.FunctionType, attribute) is MISSING:
        w.m.add(EffectKind.READS_SHARED, ast.unparse(node), f"reads `{ast.unparse(node)}`",
                w.at(node), frozenset((attribute,)))
        return NOTHING
    return operations.behind(w, node)


def _of_class(w, node: ast.AST, thing: SharedObject, attribute: str) -> Value:
    cls = thing.value
    found = member(cls, attribute)
    if python_method(thing, "__getattribute__") is not None or (
            found is MISSING and python_method(thing, "__getattr__") is not None):
        return operations.own_way(w, node)
    meta = member(type(cls), attribute)
    if meta is not MISSING and member(type(meta), "__set__") is not MISSING and (
            module_of_class(defining(type(cls), attribute)) not in TRUSTED):
        # It comes before what the class has.
        return operations.own_way(w, node)
    if attribute in TEXTS and (attribute in NAMES or _is_text(found)):
        return one_of(str)
    if found is MISSING:
        if meta is MISSING:
            return NOTHING
        if attribute == "__members__" and issubclass(cls, enum.Enum):
            name = f"{class_name(cls)}.{attribute}"
            return value(thing_of(cls._member_map_, name, "its members"))
        return operations.behind(w, node, everything=attribute == "register")
    if attribute in ("__dict__", "__subclasses__", "__bases__", "__mro__"):
        return operations.behind(w, node)
    if attribute.startswith("_") and defining(cls, attribute) is not None and issubclass(
            cls, enum.Enum) and type(found) is dict:
        return operations.behind(w, node, everything=True)
    return _class_member(w, node, thing, found, attribute, None)


def member_of(w, node: ast.AST, cls: type, found: object, attribute: str,
              instance: Thing | None) -> Value:
    """What a class further up has under a name."""
    kind = thing_of(cls, class_name(cls), f"the class `{class_name(cls)}`")
    return _class_member(w, node, kind, found, attribute, instance)


def _class_member(w, node: ast.AST, thing: SharedObject, found: object, attribute: str,
                  instance: Thing | None) -> Value:
    """What a class gives under a name, to itself or to an object of it."""
    cls = thing.value
    name = f"{class_name(cls)}.{attribute}"
    if binds_in_its_way(found):
        return operations.own_way(w, node)
    if is_a(found, types.FunctionType):
        function = SharedObject((found,), attribute, f"the function `{attribute}`")
        if instance is not None and defining(cls, attribute) in KNOWN and not has_own_parts(cls):
            return value(Method(base_of(cls), attribute, instance))
        return value(function if instance is None else Bound(function, instance))
    if is_a(found, classmethod):
        return value(Bound(thing_of(found.__func__, attribute, name), thing))
    if is_a(found, staticmethod) and defining(cls, attribute) in KNOWN:
        return value(Method(base_of(cls), attribute, thing))
    if is_a(found, staticmethod):
        return value(thing_of(found.__func__, attribute, name))
    if is_a(found, types.BuiltinFunctionType) and not is_built_in(found, attribute):
        # A method of another object: it is not called with this one.
        return value(thing_of(found, name, f"`{name}`"))
    if is_a(found, (*NAMED, types.BuiltinFunctionType)):
        owner = thing if instance is None else instance
        static = instance is None and not is_a(found, types.ClassMethodDescriptorType | types.
                                                     BuiltinFunctionType)
        return value(SharedObject((found,), name, f"`{name}`") if static
                     else Method(base_of(cls), found.__name__, owner))
    getter = member(type(found), "__get__")
    if is_a(getter, types.FunctionType) and not is_generated(type(found), getter):
        owner = value(instance) if instance is not None else value(NONE)
        return calls.run(w, node, getter, calls.Arguments([
            value(thing_of(found, name, f"the attribute `{name}`")), owner, value(thing)]))
    if getter is not MISSING and not is_built_in(getter, "__get__") and not is_a(
            getter, types.FunctionType):
        return operations.own_way(w, node)
    if getter is not MISSING and not is_a(found, type):
        return NOTHING if instance is not None and isinstance(
            found, types.MemberDescriptorType) else _other_descriptor(w, node, found, instance)
    part = thing_of(found, name, f"the global {type(found).__name__} `{name}`")
    return _read_outside(w, node, part, found, attribute)


def _other_descriptor(w, node: ast.AST, found: object, instance: Thing | None) -> Value:
    if is_a(found, types.GetSetDescriptorType):
        return operations.behind(w, node)
    if is_a(found, functools.singledispatchmethod | functools.partialmethod):
        return operations.later(w, node)
    if is_a(found, enum.property) and found.fget is not None:
        return operations.own_way(w, node) if instance is None else calls.invoke(
            w, node, function_of(found.fget), [value(instance)])
    if is_a(found, (functools.partial, functools._lru_cache_wrapper)) and (
            instance is not None):
        function = thing_of(found, ast.unparse(node), f"`{ast.unparse(node)}`")
        return value(Bound(function, instance))
    return value(thing_of(found, ast.unparse(node), f"`{ast.unparse(node)}`"))


def _of_instance(w, node: ast.AST, thing: Object | SharedObject, attribute: str) -> Value:
    cls = thing.cls
    if python_method(thing, "__getattribute__") is not None:
        return calls.special(w, node, thing, "__getattribute__", one_of(str))
    if issubclass(cls, threading.local):
        # Each thread has attributes of its own.
        return operations.own_way(w, node)
    kind = SharedObject((cls,), class_name(cls), f"the class `{class_name(cls)}`")
    if attribute == "__class__":
        return operations.own_way(w, node) if says_its_class(cls) else value(kind)
    if attribute == "__dict__":
        return operations.behind(w, node)
    found = member(cls, attribute)
    if isinstance(thing, SharedObject) and issubclass(cls, decimal.Context) and attribute in (
            "traps", "flags"):
        return operations.behind(w, node, everything=True)
    if arrays.is_array(cls) and module_of_class(cls).startswith("numpy."):
        return operations.own_way(w, node)
    if binds_in_its_way(found):
        return operations.own_way(w, node)
    if is_a(found, property):
        return calls.invoke(w, node, function_of(found.fget), [value(thing)])
    if is_a(found, access.CACHED):
        return _cached(w, node, thing, found, attribute)
    if arrays.is_array(cls) and (cls is np.ndarray or defining(cls, attribute) is np.ndarray):
        return arrays.attribute(w, node, thing, attribute)
    own = _own_attribute(w, node, thing, attribute)
    if found is MISSING:
        if python_method(thing, "__getattr__") is not None:
            return own | calls.special(w, node, thing, "__getattr__", one_of(str))
        return own
    if defining(cls, attribute) is enum.Enum and attribute in ("name", "value"):
        return own
    if _is_place(found) or (isinstance(thing, Object) and _is_inside(thing, attribute)):
        return own
    return own | _class_member(w, node, kind, found, attribute, thing)


def says_its_class(cls: type) -> bool:
    """Whether code of the user's says which class an object has."""
    return member(cls, "__class__") is not vars(object)["__class__"]


def _is_place(found: object) -> bool:
    """Whether it only says where a value lies in an object: a slot, a field of a tuple."""
    return is_a(found, types.MemberDescriptorType) or type(found).__name__ == "_tuplegetter"


def function_of(found: object) -> Value:
    return value(thing_of(found, getattr(found, "__name__", "?"), "a function"))


def _own_attribute(w, node: ast.AST, thing: Object | SharedObject, attribute: str) -> Value:
    if isinstance(thing, Object):
        if _is_inside(thing, attribute):
            return _inside(w, node, thing, attribute)
        own = w.m.heap.get(thing, attribute)
        if not own and issubclass(thing.cls, tuple) and _is_place(member(thing.cls, attribute)):
            return access.elements(w, thing)
        return own
    fields = fields_of_tuple(thing.cls)
    if attribute in fields:
        place = fields.index(attribute)
        return things_of((tuple.__getitem__(m, place) for m in thing.members), thing)
    found = attribute_of(thing, attribute)
    if found and not is_a(thing.value, enum.Enum):
        w.m.reads(thing, w.at(node), attribute)
    if attribute in ("value", "name") and is_a(thing.value, enum.Enum):
        found |= things_of((vars(m).get(f"_{attribute}_") for m in thing.members), thing)
        if not all(is_fixed(vars(m).get("_value_")) for m in thing.members):
            w.m.reads(thing, w.at(node))
    return found


def _is_inside(thing: Object, attribute: str) -> bool:
    """Whether it lies in an object of a class that is written in C."""
    base = defining(thing.cls, attribute)
    return base is not None and "__slots__" not in vars(base) and is_a(
        vars(base)[attribute], types.MemberDescriptorType | types.GetSetDescriptorType)


def _inside(w, node: ast.AST, thing: Object, attribute: str) -> Value:
    if issubclass(thing.cls, BaseException) and not attribute.startswith("__"):
        held = frozenset(access.reached(w, access.everything_in(w, thing)))
        return w.collection(node, tuple, held) if attribute in ("args", "exceptions") else (
            held | one_of(int, str, type(None)))
    if (thing.cls, attribute) in KEPT:
        return w.m.heap.get(thing, OF)
    if thing.cls in NUMBERED:
        return one_of(int)
    return one_of(int, type(None)) if attribute == "maxlen" else operations.behind(w, node)


NUMBERED = (type(datetime.date(2020, 1, 1).isocalendar()),)
KEPT = {(collections.defaultdict, "default_factory"), (functools.partial, "func")}
"""What an object calls, and the heap has as that which it looks into."""


def own_field(w, thing: Object | SharedObject, name: str) -> Value:
    """A field of a record, whatever its class says of the name."""
    if isinstance(thing, Object):
        return w.m.heap.get(thing, name)
    place = fields_of_tuple(thing.cls).index(name)
    return things_of((tuple.__getitem__(m, place) for m in thing.members), thing)


def _cached(w, node: ast.AST, thing: Object | SharedObject, found: access.CACHED,
            attribute: str) -> Value:
    result = calls.invoke(w, node, function_of(found.func), [value(thing)])
    if isinstance(thing, Object):
        w.m.change(thing, w.at(node), ast.unparse(node))
        access.put(w, thing, attribute, result)
        return w.m.heap.get(thing, attribute)
    if all(isinstance(t, Plain) for t in result):
        return result
    w.m.change(thing, w.at(node), ast.unparse(node))
    return result | attribute_of(thing, attribute)


def set_attribute(w, node: ast.AST, found: Value, attribute: str, new: Value) -> None:
    attribute = mangled(w, attribute)
    for thing in found:
        _set_attribute(w, node, thing, attribute, new)


def _set_attribute(w, node: ast.AST, thing: Thing, attribute: str, new: Value | None) -> None:
    shown = ast.unparse(node)
    owner = node.value if isinstance(node, ast.Attribute) else node
    if isinstance(thing, SharedObject) and is_a(thing.value, OPEN):
        meta = "__setattr__" if is_a(thing.value, type) else None
        if meta and python_method(thing, meta) is not None:
            operations.own_way(w, node)
        w.assigned(node, _dotted(thing, shown, attribute), _is_code(thing.value, attribute))
        return
    if not isinstance(thing, (Object, SharedObject)) or thing.cls is None:
        w.m.change(thing, w.at(node), shown)
        if isinstance(thing, Object) and new:
            access.put(w, thing, ELEMENT, new)
        if isinstance(thing, (InnerFunction, Bound, Method)):
            operations.behind(w, node)
        return
    special = "__setattr__" if new is not None else "__delattr__"
    if python_method(thing, special) is not None:
        calls.special(w, node, thing, special, one_of(str), *([new] if new is not None else []))
        return
    slot = member(thing.cls, attribute)
    setter = _setter(w, slot, new)
    if setter is not None:
        setter(w, node, thing, slot, new)
        return
    if attribute in ("__dict__", "__class__"):
        operations.behind(w, node)
        return
    if attribute in fields_of_tuple(thing.cls):
        return
    if isinstance(thing, SharedObject):
        w.assigned(node, shown, are_fixed(thing))
    w.m.change(thing, w.at(owner), ast.unparse(owner))
    if new is not None:
        access.put(w, thing, OF if (thing.cls, attribute) in KEPT else attribute, new)
        if isinstance(thing, Object) and _is_inside(thing, attribute):
            access.put(w, thing, ELEMENT, new)


def _is_code(owner: object, attribute: str) -> bool:
    """Whether an attribute says what functions do: their code or defaults, methods, all that a
    module has. Nobody can tell who calls it."""
    if is_a(owner, types.ModuleType) or attribute.startswith("__") or calls.is_standard(owner):
        return True
    found = member(owner, attribute) if is_a(owner, type) else MISSING
    return found is not MISSING and (
        callable(found) or member(type(found), "__get__") is not MISSING)


def _dotted(thing: SharedObject, shown: str, attribute: str) -> str:
    return shown if shown.endswith(f".{attribute}") else f"{thing.name}.{attribute}"


def _setter(w, slot: object, new: Value | None):
    if slot is not MISSING and binds_in_its_way(slot):
        return _set_in_its_way
    if is_a(slot, property):
        return _set_property
    name = "__set__" if new is not None else "__delete__"
    own = member(type(slot), name) if slot is not MISSING else MISSING
    if own is not MISSING and not is_a(own, types.FunctionType) and not is_built_in(own, name):
        return _set_in_its_way
    return _set_described if is_a(own, types.FunctionType) else None


def _set_in_its_way(w, node, thing: Thing, slot: object, new: Value | None) -> None:
    operations.own_way(w, node)


def _set_property(w, node, thing: Thing, slot: property, new: Value | None) -> None:
    function = slot.fset if new is not None else slot.fdel
    if function is not None:
        calls.invoke(w, node, function_of(function),
                     [value(thing), *([new] if new is not None else [])])


def _set_described(w, node, thing: Thing, slot: object, new: Value | None) -> None:
    name = "__set__" if new is not None else "__delete__"
    place = value(thing_of(slot, type(slot).__name__, f"the {type(slot).__name__}"))
    calls.run(w, node, member(type(slot), name),
              calls.Arguments([place, value(thing), *([new] if new is not None else [])]))


def delete_attribute(w, node: ast.AST, found: Value, attribute: str) -> None:
    for thing in found:
        _set_attribute(w, node, thing, mangled(w, attribute), None)
