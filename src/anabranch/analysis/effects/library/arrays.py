"""NumPy: its functions compute, but for those named here. Views are the array itself."""

from __future__ import annotations

import ast
import inspect
import sys
import types

import numpy as np

from anabranch.analysis.effects import access, calls, operations
from anabranch.analysis.effects.environment import MANY, is_a, module_of_class
from anabranch.analysis.effects.library import modules
from anabranch.analysis.effects.members import is_users
from anabranch.analysis.effects.values import (
    ELEMENT,
    NOTHING,
    Method,
    Plain,
    SharedObject,
    Thing,
    Value,
    one_of,
    value,
)
from anabranch.analysis.fact import EffectKind

MODULES = ("numpy", "numpy.linalg", "numpy.fft")
CHANGING = (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
READING_OR_WRITING = (np.fromfile, np.fromregex, np.genfromtxt, np.load, np.loadtxt, np.save,
                      np.savetxt, np.savez, np.savez_compressed, np.info, np.show_config,
                      np.show_runtime)
# What they give is whatever was in that memory before.
UNINITIALISED = (np.empty, np.empty_like)
# They change how NumPy behaves everywhere.
EVERYWHERE = (np.seterr, np.seterrcall, np.setbufsize, np.set_printoptions, np.printoptions)
# They call functions.
OTHER = (np.apply_along_axis, np.apply_over_axes, np.frompyfunc, np.fromfunction, np.fromiter,
         np.piecewise, np.frombuffer, np.nditer, np.vectorize, np.require)
# What they give is no array, no number, and no tuple of these.
OTHER += (np.trim_zeros, np.min_scalar_type, np.result_type, np.asmatrix, np.bmat,
          np.unique_all, np.unique_counts, np.unique_inverse, np.iterable)
CHANGING_METHODS = frozenset(("byteswap", "fill", "put", "resize", "setfield", "setflags", "sort",
                              "partition", "itemset"))
WRITING_METHODS = frozenset(("dump", "tofile", "dumps"))
OTHER_METHODS = frozenset(("nonzero", "tobytes", "tostring", "data"))
"""Those that give neither arrays nor numbers of NumPy."""
SCALARS = one_of(np.float64, np.int64, np.bool_, np.str_)
PYTHON = one_of(float, int, bool, str)
VIEWS = frozenset(("T", "real", "imag", "flat", "base", "mT"))

FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(np.mean))


def is_array(cls: type | None) -> bool:
    return cls is not None and (cls is np.ndarray or issubclass(cls, np.ndarray))


def has_method(cls: type, name: str) -> bool:
    """Whether a number of NumPy has a method as arrays have it, which only computes.

    >>> has_method(np.float64, "sum"), has_method(float, "sum"), has_method(np.str_, "lower")
    (True, False, False)
    """
    own = CHANGING_METHODS | WRITING_METHODS | OTHER_METHODS
    return issubclass(cls, np.generic) and hasattr(np.ndarray, name) and name not in own and not (
        issubclass(cls, str) and hasattr(str, name))


def is_function(found: object) -> bool:
    """Whether it is a function of NumPy, and none that is made of a function of the user's."""
    if is_a(found, np.ufunc):
        return _is_own(found, ("numpy",)) or not any("O" in kind for kind in found.types)
    return is_a(found, FUNCTIONS) and _is_own(found, MODULES)


def _is_own(found: object, modules_of_numpy: tuple[str, ...]) -> bool:
    return any(vars(sys.modules[name]).get(found.__name__) is found
               for name in modules_of_numpy if name in sys.modules)


def fresh(w, node: ast.AST) -> Value:
    """A new array, or a number."""
    thing = w.made(node, np.ndarray, "array")
    w.m.heap.put(thing, ELEMENT, SCALARS)
    return value(thing) | SCALARS


def elements(w, node: ast.AST, thing: Thing) -> Value:
    if _holds_objects(thing) or is_users(thing.cls):
        return operations.unknown(w, node, "goes through")
    return SCALARS | value(thing)


def item(w, node: ast.AST, thing: Thing) -> Value:
    """An item, or a view of a part, whose changes are those of the array; some are copies."""
    if _holds_objects(thing) or is_users(thing.cls):
        return operations.unknown(w, node, "looks up")
    return SCALARS | value(thing)


def takes(left: Thing, right: Thing) -> bool:
    """Whether NumPy computes it: with an array, or one of its numbers and something else."""
    return any(is_array(t.cls) or (issubclass(t.cls, np.generic) and not isinstance(o, Plain))
               for t, o in ((left, right), (right, left)))


def compared(w, node: ast.AST, thing: Thing, others: Value) -> Value:
    """Numbers of NumPy are compared as such; with anything else it is done item by item."""
    if isinstance(thing, Plain) and all(isinstance(other, Plain) for other in others):
        return one_of(np.bool_)
    _check(w, node, calls.Arguments([value(thing) | others]))
    return fresh(w, node)


def binary(w, node: ast.AST, left: Thing, right: Thing) -> Value:
    _check(w, node, calls.Arguments([value(left), value(right)]))
    return fresh(w, node)


def attribute(w, node: ast.AST, thing: Thing, name: str) -> Value:
    if isinstance(thing, SharedObject):
        w.m.reads(thing, w.at(node))
    if name in VIEWS:
        return operations.own_way(w, node) if is_users(thing.cls) else value(thing)
    if name in ("shape", "strides"):
        return w.collection(node, tuple, one_of(int))
    if name in ("size", "ndim", "itemsize", "nbytes"):
        return one_of(int)
    if name == "dtype":
        return one_of(np.dtype)
    return value(Method(np.ndarray, name, thing)) if hasattr(np.ndarray, name) else NOTHING


def method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    if name in WRITING_METHODS:
        return modules.has_effect(w, node, EffectKind.IO)
    _check(w, node, given.before(value(owner)) if is_users(owner.cls) else given)
    where = node.func.value if isinstance(getattr(node, "func", None), ast.Attribute) else node
    if name in CHANGING_METHODS:
        w.m.change(owner, w.at(where), ast.unparse(where))
        return one_of(type(None)) | value(owner)
    _written_out(w, node, given.keyword("out"))
    if name == "tolist":
        inner = w.made(node, list, "inner")
        w.m.heap.put(inner, ELEMENT, PYTHON | value(inner))
        return PYTHON | value(inner)
    if name == "item":
        return PYTHON
    for extra in (*given.args[1:], given.rest or NOTHING):
        # The result may be put there.
        _written_out(w, node, frozenset(t for t in extra if is_array(t.cls) or t.cls is None))
    if name in OTHER_METHODS:
        return access.library_object(w, node, one_of(int, str, bytes), name) | one_of(bytes, int)
    return fresh(w, node) | value(owner)


def call(w, node: ast.AST, found: object, given: calls.Arguments) -> Value:
    if _is_in(found, READING_OR_WRITING):
        return modules.has_effect(w, node, EffectKind.IO)
    if _is_in(found, UNINITIALISED):
        modules.has_effect(w, node, EffectKind.RANDOM)
        return fresh(w, node)
    if _is_in(found, EVERYWHERE):
        return modules.has_effect(w, node, EffectKind.WRITES)
    if _is_in(found, OTHER):
        return calls.no_source(w, node, given)
    if _is_in(found, CHANGING):
        _written_out(w, node, given.all)
        return one_of(type(None))
    position = place_of_result(found)
    if position is None and not is_a(found, np.ufunc) and _signature(found) is None and (
            not hasattr(found, "__wrapped__")):
        return calls.no_source(w, node, given)
    _check(w, node, given)
    if is_a(found, np.ufunc) and given.keyword("where") and not given.named.get("out"):
        # Where it does not compute, there is whatever was in that memory before.
        modules.has_effect(w, node, EffectKind.RANDOM)
    _written_out(w, node, given.named.get("out", NOTHING) | (given.named_rest or NOTHING))
    if position is not None:
        for extra in (*given.args[position:], given.rest or NOTHING):
            _written_out(w, node, extra)
    if given.get(MANY, "overwrite_input") or (
            found is np.nan_to_num and (given.get(1, "copy") or given.rest)):
        _written_out(w, node, given.all)
    arrays = frozenset(t for t in given.all if is_array(t.cls))
    result = fresh(w, node) | arrays
    if is_a(found, np.ufunc) and found.nout == 1:
        return result
    several = w.collection(node, tuple, fresh(w, node) | PYTHON, None, "several")
    return result | PYTHON | several


def taken_in(w, node: ast.AST, new: Value) -> None:
    """What is put into an array becomes numbers."""
    given = calls.Arguments([new])
    if not modules.check_plain(w, node, given):
        calls.no_source(w, node, given)


REDUCING = frozenset(("reduce", "accumulate", "reduceat", "outer"))


def method_of_function(w, node: ast.AST, found: np.ufunc, name: str, given: calls.Arguments
                       ) -> Value:
    """`np.add.reduce` and the like compute; `np.add.at` changes its first argument."""
    if name not in REDUCING or not is_function(found):
        return calls.no_source(w, node, given)
    _check(w, node, given)
    _written_out(w, node, given.keyword("out"))
    for extra in (*given.args[found.nin if name == "outer" else 2:], given.rest or NOTHING):
        _written_out(w, node, extra)
    return fresh(w, node) | PYTHON | frozenset(t for t in given.all if is_array(t.cls))


def converted(w, node: ast.AST, given: calls.Arguments) -> Value:
    """An array, or a number, that is made of these."""
    _check(w, node, given)
    return fresh(w, node)


def instance(w, node: ast.AST, cls: type, given: calls.Arguments) -> Value:
    """An array that is made by its class has whatever was in that memory before; other classes of
    arrays read files, or have ways of their own."""
    if cls is not np.ndarray:
        return calls.no_source(w, node, given)
    if len(given.args) > 2 or given.named or not given.is_exact:
        return calls.no_source(w, node, given)
    modules.has_effect(w, node, EffectKind.RANDOM)
    return fresh(w, node)


def _is_in(found: object, known: tuple) -> bool:
    return any(found is each for each in known)


def _written_out(w, node: ast.AST, found: Value) -> None:
    """An array that a function is told to put its result into is changed."""
    for thing in access.reached(w, found):
        if not isinstance(thing, Plain):
            w.m.change(thing, w.at(node), ast.unparse(node))


def times_of_texts(w, node: ast.AST, given: calls.Arguments) -> None:
    """NumPy's times are made of texts, too, and "now" and "today" are some."""
    for thing in given.all:
        written = [text for text in given.texts if text is not None]
        if isinstance(thing, Plain) and issubclass(thing.cls, str) and not (
                len(written) == len(given.args) and written[0].lower() not in ("now", "today")):
            modules.has_effect(w, node, EffectKind.CLOCK)


def _may_be_times(node: ast.AST, given: calls.Arguments) -> bool:
    """Whether a type of times is asked for, as far as it is written down."""
    written = [text for text in given.texts if text is not None] + [
        k.value.value for k in getattr(node, "keywords", ())
        if isinstance(k.value, ast.Constant) and isinstance(k.value.value, str)]
    return any(text.lstrip("<>=").startswith(("datetime64", "M8")) for text in written) or any(
        isinstance(t, SharedObject) and t.value is np.datetime64 for t in given.all)


def _check(w, node: ast.AST, given: calls.Arguments) -> None:
    """What becomes an array must be numbers and texts: objects bring their own operations."""
    data = frozenset().union(*given.args, *(v for n, v in given.named.items() if n != "dtype"))
    if _may_be_times(node, given) and any(isinstance(t, Plain) and issubclass(t.cls, str)
                                          for t in access.reached(w, data)):
        modules.has_effect(w, node, EffectKind.CLOCK)
    if not modules.check_plain(w, node, given):
        calls.no_source(w, node, given)
    modules.sees_order(w, node, given)
    if _has_objects(w, given.all):
        calls.no_source(w, node, given)


def _has_objects(w, found: Value) -> bool:
    """Whether an array of these may come to hold objects as they are."""
    return any(not isinstance(thing, Plain) and (_holds_objects(thing) or _is_foreign(thing))
               for thing in access.reached(w, found))


def _holds_objects(thing: Thing) -> bool:
    return isinstance(thing, SharedObject) and is_a(thing.value, np.ndarray) and any(
        m.dtype == object for m in thing.members)


def _is_foreign(thing: Thing) -> bool:
    """Whether it is an object that becomes an item of an array as it is."""
    if isinstance(thing, SharedObject) and is_a(thing.value, type):
        return thing.value is object or not module_of_class(
            thing.value).startswith(("builtins", "numpy"))
    return thing.cls is None or (module_of_class(thing.cls) not in (
        "builtins", "collections", "numpy") and not issubclass(thing.cls, tuple))


def place_of_result(function: object) -> int | None:
    """The position of the argument that says where the result goes, if there is one.

    >>> place_of_result(np.dot), place_of_result(np.add)
    (2, 2)
    """
    if isinstance(function, np.ufunc):
        return function.nin
    found = _signature(function)
    named = found.parameters.get("out") if found else None
    return None if named is None or named.kind is named.KEYWORD_ONLY else list(
        found.parameters).index("out")


def _signature(function: object) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None
