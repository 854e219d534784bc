"""Modules of the standard library: which only compute, and what functions give."""

from __future__ import annotations

import ast
import calendar
import collections
import copyreg
import datetime
import decimal
import encodings.aliases
import fractions
import functools
import ipaddress
import operator
import re
import time
import types
import uuid
from collections.abc import Iterator

import numpy as np

from anabranch.analysis.effects import access, calls, operations
from anabranch.analysis.effects.environment import (
    PLAIN,
    attributes_in,
    is_a,
    module_of_class,
    module_of_function,
    things_of,
)
from anabranch.analysis.effects.machine import EVERYTHING
from anabranch.analysis.effects.members import (
    KNOWN,
    MISSING,
    fields_of_tuple,
    is_users,
    member,
    python_method,
)
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    KEY,
    NOTHING,
    Bound,
    InnerFunction,
    Method,
    Object,
    Plain,
    SharedObject,
    Unlikely,
    Value,
    one_of,
    value,
)
from anabranch.analysis.fact import EffectKind
from anabranch.analysis.syntax import shown_name
from anabranch.core.source import class_name

IO, RANDOM, CLOCK, WRITES = (EffectKind.IO, EffectKind.RANDOM, EffectKind.CLOCK, EffectKind.WRITES)
EFFECTS = {
    **dict.fromkeys(("random", "_random", "secrets", "numpy.random"), RANDOM),
    "time": CLOCK,
    **dict.fromkeys(("os", "posix", "nt", "io", "_io", "socket", "_socket", "ssl", "subprocess",
                     "shutil", "tempfile", "glob", "pathlib", "genericpath", "sys", "logging",
                     "requests", "urllib.request", "http.client", "sqlite3", "threading",
                     "_thread", "multiprocessing", "asyncio", "queue", "warnings", "signal",
                     "gc", "pickle", "_pickle", "csv", "_csv", "atexit", "contextvars",
                     "_contextvars", "weakref", "_weakref", "locale", "_locale"), IO),
}
NAMED_EFFECTS = {
    ("datetime", "now"): CLOCK, ("datetime", "utcnow"): CLOCK, ("datetime", "today"): CLOCK,
    ("uuid", "uuid1"): RANDOM, ("uuid", "uuid4"): RANDOM, ("uuid", "getnode"): RANDOM,
    ("json", "load"): IO, ("json", "dump"): IO,
    ("statistics", "samples"): RANDOM,
    ("re", "purge"): IO, ("gzip", "compress"): CLOCK,
    **{(m, n): IO for m, names in {
        "calendar": "format main prmonth prweek pryear",
        "pprint": "pp pprint", "hashlib": "file_digest", "uuid": "main", "shlex": "shlex main",
        "codecs": "open EncodedFile", "gzip": "open GzipFile",
        "bz2": "open BZ2File", "lzma": "open LZMAFile", "base64": "encode decode main test",
        "quopri": "encode decode main", "zoneinfo": "available_timezones",
        "zoneinfo._tzpath": "available_timezones"}.items() for n in names.split()},
    **{(m, n): WRITES for m, names in {
        "decimal": "getcontext setcontext localcontext", "locale": "setlocale",
        "time": "tzset", "calendar": "setfirstweekday", "csv": "register_dialect field_size_limit",
        "_csv": "register_dialect unregister_dialect field_size_limit",
        "codecs": "register unregister register_error",
        "_codecs": "register unregister register_error", "copyreg": "pickle constructor",
        "os": "__setitem__ __delitem__ putenv unsetenv chdir", "posix": "putenv unsetenv chdir",
        "sys": "set_int_max_str_digits setrecursionlimit settrace setprofile",
        "warnings": "filterwarnings simplefilter resetwarnings",
        "zoneinfo": "reset_tzpath", "zoneinfo._tzpath": "reset_tzpath"}.items()
        for n in names.split()},
    **{(m, n): IO for m in ("posixpath", "ntpath")
       for n in ("abspath", "realpath", "expanduser", "expandvars", "ismount", "relpath",
                 "lexists", "exists", "isfile", "isdir", "getsize", "getmtime", "islink")},
}
PURE = frozenset((
    "math", "cmath", "statistics", "re", "_sre", "string", "_string", "decimal", "_decimal",
    "_pydecimal", "fractions", "hashlib", "_hashlib", "_blake2", "_sha3", "_md5", "_sha1",
    "_sha256", "_sha512", "_sha2", "datetime", "_datetime", "textwrap", "unicodedata", "base64",
    "binascii", "struct", "_struct", "zlib", "html", "urllib.parse", "ipaddress", "difflib",
    "calendar", "json", "json.decoder", "json.encoder", "_json", "posixpath", "ntpath",
    "uuid", "zoneinfo", "typing", "itertools", "colorsys", "hmac", "crypt", "bz2", "gzip", "lzma",
    "quopri", "stringprep", "shlex", "fnmatch", "keyword", "pprint",
    "reprlib", "collections", "contextlib", "dataclasses", "enum", "functools", "_functools",
    "operator", "_operator", "heapq", "_heapq", "bisect", "_bisect", "copy", "time"))
FOLLOWED = frozenset(("functools", "contextlib", "collections", "dataclasses", "operator", "enum",
                      "typing", "copy", "time", "heapq", "bisect"))
"""Modules whose Python code is walked where nothing is said of a function."""
LOOKED_UP = frozenset((("_codecs", "encode"), ("_codecs", "decode")))
"""Functions that only compute with the codec that they name."""
WORDS = {IO: "does input or output", RANDOM: "is random", CLOCK: "reads the clock",
         WRITES: "changes how other functions compute"}
NUMBERS = (int, float, decimal.Decimal, fractions.Fraction)
RESULTS: dict[tuple[str, str], object] = {}


def gives(module: str, names: str, result: object) -> None:
    RESULTS.update({(module, name): result for name in names.split()})


gives("math", "floor ceil trunc gcd lcm factorial comb perm isqrt", int)
gives("math", "isnan isinf isfinite isclose", bool)
gives("math", "frexp modf", [float, int])
gives("cmath", "isnan isinf isfinite isclose", bool)
gives("cmath", "phase", float)
gives("cmath", "polar", [float])
gives("statistics", "mean fmean geometric_mean harmonic_mean median_grouped "
      " pstdev pvariance stdev variance covariance correlation", NUMBERS)
gives("statistics", "quantiles", [float, decimal.Decimal, fractions.Fraction])
gives("re", "sub escape", str)
gives("re", "subn", [str, int])
gives("re", "compile", re.Pattern)
gives("re", "match search fullmatch", (re.Match, type(None)))
gives("json", "dumps", str)
gives("json.encoder", "encode_basestring_ascii", str)
gives("_hashlib", "pbkdf2_hmac scrypt", bytes)
gives("textwrap", "fill dedent indent shorten", str)
gives("textwrap", "wrap", [str])
gives("unicodedata", "normalize category name bidirectional east_asian_width decomposition lookup",
      str)
gives("unicodedata", "combining digit decimal mirrored", int)
gives("unicodedata", "numeric", float)
gives("base64", "b64encode b64decode b32encode b32decode b16encode b16decode urlsafe_b64encode "
      "urlsafe_b64decode standard_b64encode standard_b64decode a85encode b85encode b85decode "
      "a85decode encodebytes decodebytes", bytes)
gives("binascii", "hexlify unhexlify a2b_hex b2a_hex a2b_base64 b2a_base64", bytes)
gives("binascii", "crc32 crc_hqx", int)
gives("_struct", "pack", bytes)
gives("_struct", "calcsize", int)
gives("_struct", "unpack unpack_from", [int, float, bytes, bool])
gives("zlib", "crc32 adler32", int)
gives("zlib", "compress decompress", bytes)
gives("html", "escape unescape", str)
gives("urllib.parse", "quote quote_plus unquote unquote_plus urlencode urljoin urlunparse "
      "urlunsplit", str)
gives("difflib", "get_close_matches ndiff unified_diff context_diff", [str])
gives("calendar", "isleap", bool)
gives("calendar", "leapdays weekday timegm", int)
gives("calendar", "monthrange", [int])
gives("posixpath", "basename dirname join splitext normpath normcase commonpath", str)
gives("posixpath", "isabs", bool)
gives("posixpath", "split splitext splitdrive", [str])
gives("uuid", "uuid3 uuid5", uuid.UUID)
gives("ipaddress", "ip_address", (ipaddress.IPv4Address, ipaddress.IPv6Address))
gives("time", "strptime gmtime localtime", [time.struct_time, int, str])
gives("time", "mktime", float)
gives("time", "strftime asctime ctime", str)
gives("string", "capwords", str)
gives("shlex", "quote join", str)
gives("shlex", "split", [str])
gives("fnmatch", "fnmatch fnmatchcase", bool)
gives("fnmatch", "translate", str)
gives("colorsys", "rgb_to_hsv hsv_to_rgb rgb_to_hls hls_to_rgb", [float, int])
gives("hmac", "digest", bytes)
gives("_hashlib", "compare_digest", bool)
gives("_operator", "_compare_digest", bool)
gives("fractions", "from_float from_decimal", fractions.Fraction)
PRODUCTS = ("prod", "sumprod")
OF_ITEMS = ("mode", "multimode", "median", "median_low", "median_high")
TIME_GIVEN = {"gmtime": 1, "localtime": 1, "ctime": 1, "asctime": 1, "strftime": 2, "strptime": 1,
              "mktime": 1}


def module_of(found: object) -> str:
    """The module that a function or a class belongs to, whatever it says of itself."""
    if is_a(found, types.FunctionType):
        return module_of_function(found)
    if is_a(found, type):
        return module_of_class(found)
    owner = getattr(found, "__self__", None) if is_a(found, BUILT_IN) else None
    if is_a(owner, types.ModuleType):
        return owner.__name__
    if is_a(owner, type):
        return module_of_class(owner)
    if type(found).__name__ == CYTHON or (is_a(found, types.BuiltinFunctionType) and owner is None):
        return found.__module__ or ""
    return module_of_class(type(found)) if owner is None else module_of_class(type(owner))


BUILT_IN = (types.BuiltinFunctionType, types.MethodType)
CYTHON = "cython_function_or_method"
"""What the class of functions written in Cython is called in each module of them."""


def effect_of_module(module: str) -> EffectKind | None:
    """The effect of a module, or of the package that it is a part of."""
    parts = module.split(".")
    names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((EFFECTS[n] for n in names if n in EFFECTS), None)


def is_library(found: object) -> bool:
    """Whether it is judged by its module, and not by its code."""
    module = module_of(found)
    if (module in PURE and module not in FOLLOWED) or module == "_codecs":
        return True
    named = (module, shown_name(found))
    if named in RESULTS or named in NAMED_EFFECTS:
        return True
    builtin = is_a(found, types.BuiltinFunctionType)
    return effect_of_module(module) is not None or (builtin and module in PURE)


def call(w, node: ast.AST, found: object, given: calls.Arguments) -> Value:
    module, name = module_of(found), shown_name(found)
    given = given.by_position(found)
    effect = NAMED_EFFECTS.get((module, name)) or effect_of_module(module)
    if effect is CLOCK and _has_time(node, name, given):
        effect = None
    if effect is not None:
        return has_effect(w, node, effect)
    if module not in PURE and (module, name) not in LOOKED_UP:
        return calls.no_source(w, node, given)
    if not check_plain(w, node, given, called_back=True):
        return calls.no_source(w, node, given)
    if module == "_codecs":
        check_codec(w, node, given, 1)
    if module == "string":
        operations.looked_up(w, node, given.all)
    if module in SHOWING:
        may_show(w, node, given)
    if found in PLAIN_CLASSES:
        return one_of(found)
    _change_owner(w, node, found, given)
    if (module, name) not in OF_ANY_ORDER:
        sees_order(w, node, given)
    if module == "math" and (module, name) not in RESULTS and name not in PRODUCTS:
        return one_of(float)
    if module == "cmath" and (module, name) not in RESULTS:
        return one_of(complex)
    if "into" in name:
        for thing in given.all:
            w.m.change(thing, w.at(node), name)
    if (module, name) in (("json", "loads"), ("json.decoder", "decode")):
        return loaded(w, node, given.answers)
    if module == "statistics" and name in OF_ITEMS:
        inside = access.iterate(w, node, given.get(0), ordered=False)
        if name == "multimode":
            return w.collection(node, list, inside)
        return inside | (one_of(*NUMBERS) if name == "median" else NOTHING)
    if module == "math" and name in PRODUCTS:
        return one_of(*NUMBERS) | frozenset().union(*(
            access.iterate(w, node, part) for part in given.args))
    if (module, name) == ("html", "unescape"):
        # What has no `&` in it is given back as it is, whatever it is.
        return one_of(str) | frozenset(t for t in given.all if not isinstance(t, Plain))
    if module == "re" and name in ("findall", "finditer", "split"):
        return matches(w, node, name)
    if (module, name) not in RESULTS and (module in OF_STREAMS or (
            is_a(found, type) and member(found, "__repr__") is object.__repr__)):
        return access.library_object(w, node, given.all, access.NAMELESS)
    return made(w, node, RESULTS.get((module, name)), given)


OF_STREAMS = frozenset(("_hashlib", "hashlib", "_blake2", "_md5", "_sha1", "_sha2", "_sha256",
                        "_sha512", "_sha3", "zlib", "_bz2", "_lzma", "hmac"))
"""Modules whose objects take in one part after the other, and have no text of their own."""


SHOWING = frozenset(("string", "_string", "pprint", "reprlib", "urllib.parse"))
"""Modules that make texts of whatever they are given."""


def may_show(w, node: ast.AST, given: calls.Arguments) -> None:
    """A library may make a text of the user's objects that it is given."""
    operations.text(w, node, frozenset(
        thing for thing in access.reached(w, given.all, within_iterators=False)
        if isinstance(thing, (Object, SharedObject)) and thing.cls is not None
        and not operations.is_callable_thing(thing) and not calls.is_standard(thing.cls)))


OF_ANY_ORDER = frozenset((
    ("math", "fsum"), ("copy", "copy"), *(("statistics", name) for name in (
        "mean", "fmean", "median", "median_low", "median_high", "variance", "pvariance", "stdev",
        "pstdev"))))
"""Functions whose result is the same in whatever order they get what is in a set."""


def sees_order(w, node: ast.AST, given: calls.Arguments) -> None:
    """A library may go through the sets that it is given."""
    for thing in access.reached(w, given.all):
        if isinstance(thing, (Object, SharedObject)) and thing.cls is not None and issubclass(
                thing.cls, (set, frozenset)):
            access.order_seen(w, node, thing)


KEEPING = frozenset((
    "encode", "iterencode", "default", "decode", "raw_decode", "wrap", "fill", "substitute",
    "safe_substitute", "ratio", "quick_ratio", "real_quick_ratio", "digest", "hexdigest", "copy",
    "pdf", "cdf", "inv_cdf", "zscore", "quantiles", "overlap", "pformat", "repr"))
KEPT = (fractions.Fraction, ipaddress._IPAddressBase, calendar.Calendar)
"""Methods of the library, and classes, that leave an object as it was."""


def _change_owner(w, node: ast.AST, found: object, given: calls.Arguments) -> None:
    """A method that the library has written in Python may change its object."""
    inside = is_a(found, types.FunctionType) and "." in found.__qualname__
    for thing in given.get(0) if inside and found.__name__ not in KEEPING else ():
        if isinstance(thing, SharedObject) and not is_a(thing.value, (type, *KEPT)):
            w.m.change(thing, w.at(node), calls.shown(node))


def used_contexts(w, node: ast.AST, given: calls.Arguments) -> None:
    """A context that computes with decimals notes in itself what happened."""
    for thing in given.all:
        if thing.cls is not None and issubclass(thing.cls, decimal.Context):
            w.m.change(thing, w.at(node), calls.shown(node))


HANDLERS = frozenset(("strict", "ignore", "replace", "xmlcharrefreplace", "backslashreplace",
                      "namereplace", "surrogateescape", "surrogatepass"))
CODECS = frozenset(encodings.aliases.aliases) | frozenset(encodings.aliases.aliases.values())


def check_codec(w, node: ast.AST, given: calls.Arguments, first: int) -> None:
    """Encodings and handlers of errors are looked up by name: programs may add some."""
    words = {k.arg: k.value for k in getattr(node, "keywords", ())}
    for place, name, known in ((first, "encoding", CODECS), (first + 1, "errors", HANDLERS)):
        if not given.get(place, name):
            continue
        written = words.get(name)
        text = written.value if isinstance(written, ast.Constant) else given.text(place)
        plain = encodings.normalize_encoding(text).lower() if isinstance(text, str) else None
        if plain not in known:
            operations.later(w, node)


PLAIN_CLASSES = PLAIN | {ipaddress.IPv4Address, ipaddress.IPv6Address}


def made(w, node: ast.AST, result: object, given: calls.Arguments) -> Value:
    """A value from the table; else some object of the library."""
    if result is None:
        return access.library_object(w, node, given.all)
    if isinstance(result, list) and issubclass(result[0], tuple):
        return w.collection(node, result[0], one_of(*result[1:]))
    if isinstance(result, list):
        return w.collection(node, list, one_of(*result)) | w.collection(
            node, tuple, one_of(*result), None, "tuple")
    return one_of(*result) if isinstance(result, tuple) else one_of(result)


def matches(w, node: ast.AST, name: str) -> Value:
    texts = one_of(str, bytes, type(None))
    groups = w.collection(node, tuple, texts, None, "groups")
    if name == "finditer":
        return w.collection(node, access.GENERATOR, one_of(re.Match))
    return w.collection(node, list, texts | groups)


def loaded(w, node: ast.AST, answers: Value) -> Value:
    """What JSON gives: objects and lists within each other, and what functions make of them."""
    objects, lists = w.made(node, dict, "object"), w.made(node, list, "list")
    found = one_of(str, int, float, bool, type(None)) | value(objects, lists) | answers
    w.m.heap.put(objects, KEY, one_of(str))
    w.m.heap.put(objects, ELEMENT, found)
    w.m.heap.put(lists, ELEMENT, found)
    return found


def has_effect(w, node: ast.AST, effect: EffectKind) -> Value:
    name = calls.called_name(w, node)
    everything = frozenset((EVERYTHING,)) if effect is WRITES else frozenset()
    w.m.add(effect, name, f"calls `{name}`, which {WORDS[effect]}", w.at(node), everything)
    return value(ANYTHING)


def _has_time(node: ast.AST, name: str, given: calls.Arguments) -> bool:
    """Whether it is told the time, and need not ask the clock."""
    if name == "compress":
        return bool(given.named.get("mtime")) and Plain(type(None)) not in given.named["mtime"]
    needed = TIME_GIVEN.get(name)
    return needed is not None and given.is_exact and len(given.args) >= needed and not any(
        Plain(type(None)) in found for found in given.args)


def check_plain(w, node: ast.AST, given: calls.Arguments, called_back: bool = False) -> bool:
    """Whether a library gets nothing that runs code of the user's. Functions that it is given may
    be called with anything that lies in the other arguments."""
    clean = True
    functions = set()
    for thing in access.reached(w, given.all, within_iterators=False):
        if thing is ANYTHING:
            operations.unknown(w, node)
        elif is_function(thing):
            functions.add(thing)
        elif isinstance(thing, SharedObject):
            if is_a(thing.value, Iterator):
                access.goes_on(w, node, thing)
            clean = clean and (not is_users(thing.cls) or thing.cls in KNOWN) and (
                not is_a(thing.value, type) or thing.value in KNOWN)
        elif isinstance(thing, Object) and is_users(thing.cls):
            clean = False
    classes = frozenset(t for t in given.all if isinstance(t, SharedObject)
                        and is_a(t.value, type) and t.value in KNOWN)
    if called_back and (functions or classes):
        found = call_back(w, node, frozenset(functions) | classes, given.all - functions - classes)
        given.answers |= frozenset(t for t in found if not isinstance(t, Plain))
    return clean


CALLABLE = frozenset((
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType,
    types.MethodDescriptorType, types.WrapperDescriptorType, functools.partial,
    functools._lru_cache_wrapper, operator.itemgetter, operator.attrgetter, operator.methodcaller,
    np.ufunc))


def is_function(thing: object) -> bool:
    """Whether a library may call it: a function in any form, but no class and no object of the
    user's."""
    if isinstance(thing, SharedObject):
        return thing.cls in CALLABLE
    return isinstance(thing, (InnerFunction, Bound, Method, Unlikely)) or (
        isinstance(thing, Object) and thing.cls in access.CALLING)


def call_back(w, node: ast.AST, functions: Value, given: Value) -> Value:
    """Functions are called with anything that lies in these."""
    inside = frozenset().union(*(access.everything_in(w, t) | value(t) for t in given))
    anything = inside | access.library_object(w, node, NOTHING, "argument")
    return calls.invoke_with(w, node, functions, calls.Arguments([anything], rest=anything))


COPYING = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__",
           "__setstate__", "__setattr__", "__getattribute__", "__getattr__", "__new__",
           "__getnewargs__", "__getnewargs_ex__", "__iter__", "__setitem__", "append", "extend")


def copies_itself(thing: Object | SharedObject) -> bool:
    """Whether copying an object runs code of its class, or of one that is told how to do it."""
    cls = thing.cls
    if cls is None or cls in KNOWN:
        return False
    called = member(cls, "__copy__") is not MISSING or (
        member(cls, "__reduce__") is not vars(object)["__reduce__"])
    return any(python_method(thing, name) is not None for name in COPYING) or (
        called and python_method(thing, "__init__") is not None) or (
        cls in copyreg.dispatch_table and cls not in PLAIN)


def check_copies(w, node: ast.AST, found: Value) -> None:
    """What copying all that lies in a value runs."""
    for thing in access.reached(w, found):
        if thing is ANYTHING:
            operations.unknown(w, node, "copies")
        elif isinstance(thing, (Object, SharedObject)) and not (
                isinstance(thing, SharedObject)
                and is_a(thing.value, (type, types.FunctionType))) and copies_itself(thing):
            operations.own_way(w, node, class_name(thing.cls))
        elif isinstance(thing, (Object, SharedObject)) and thing.cls is not None:
            # Keys are hashed again.
            again = frozenset(t for t in access.keys(w, thing) if not isinstance(t, Plain)) if (
                issubclass(thing.cls, dict)) else access.elements(w, thing) if issubclass(
                thing.cls, (set, frozenset)) else NOTHING
            operations.special_results(w, node, again, "__hash__")


def is_shared_in_copies(thing: Object | SharedObject) -> bool:
    """Whether a copy calls what the original calls, or goes on with what lies behind both."""
    return isinstance(thing, SharedObject) and is_a(thing.value, (functools.partial, Iterator))


def deep_copy(w, site: object, found: Value, origin: str = "made") -> Value:
    """Copies of all objects in a value, each with copies of its parts."""
    copies: dict = {}
    return _copied(w, site, found, origin, copies)


def _copied(w, site: object, found: Value, origin: str, copies: dict) -> Value:
    result = set()
    for thing in found:
        atomic = is_shared_in_copies(thing) or (isinstance(thing, SharedObject) and is_a(
            thing.value, (type, types.FunctionType)))
        if atomic or not isinstance(thing, (Object, SharedObject)):
            result.add(thing)
        elif thing in copies:
            result.add(copies[thing])
        else:
            result.add(_copy(w, site, thing, origin, copies))
    return frozenset(result)


def _copy(w, site: object, thing: Object | SharedObject, origin: str, copies: dict) -> Object:
    copy = copies[thing] = Object(origin, (site, "copy", len(copies), thing.cls), thing.cls,
                                  getattr(site[0], "name", "") if isinstance(site, tuple) else "")
    w.m.heap.parts.setdefault(copy, {})
    w.finalized(w.scope.node, thing.cls)
    if isinstance(thing, Object):
        parts = dict(w.m.heap.of(thing))
    else:
        parts = {ELEMENT: access.values(w, thing) if is_a(thing.value, dict)
                 else access.elements(w, thing), KEY: access.keys(w, thing)}
        for member in thing.members:
            own = attributes_in(member)
            parts |= {n: things_of([v], thing) for n, v in own.items()}
            if is_a(member, tuple):
                fields = fields_of_tuple(type(member))
                parts |= {n: things_of([v], thing)
                          for n, v in zip(fields, tuple.__iter__(member))}
            if type(member) is collections.defaultdict and member.default_factory is not None:
                parts[access.OF] = things_of([member.default_factory], thing)
    for key, part in parts.items():
        w.m.heap.put(copy, key, _copied(w, site, part, origin, copies))
    return copy


DATE_TIMES = (datetime.datetime, datetime.date, datetime.time)
