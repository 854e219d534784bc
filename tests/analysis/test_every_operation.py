"""The whitelist, word by word: what analysis says of every method of built-in classes, of every
operator between two of them, and of every function of the modules that it knows.

All that is said is kept in golden files, so that each change of what is known is seen; and where it
is said that something only computes, Python does it: nothing shared changes, nothing is printed,
and what it gives is of a class that was said.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import importlib
import io
import re
import sys
import types
import warnings
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
import pytest

from anabranch.analysis.effects.purity import Effects, Found
from anabranch.analysis.effects.values import ANYTHING, ELEMENT, KEY, Plain, ShapeTree, SharedObject
from anabranch.analysis.fact import EffectKind, StateKind
from anabranch.analysis.facts.summary import analyse
from anabranch.ir.operators import Map
from analysis.support import Entry, function, single
from analysis.test_hidden_state import chain
from analysis.test_library_results import NAMES, shown

# NumPy keeps these, and then its functions are seen with them.
for _kind in (np.float16, np.float32, np.float64, np.longdouble):
    np.finfo(_kind)

pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11),
                                reason="other versions of Python have other functions")


class Quiet:
    """Has no method of its own."""


class Counting:
    """Every operation on it is remembered."""

    seen = 0

    def _count(self, *given):
        Counting.seen += 1
        return Counting.seen

    __add__ = __radd__ = __iadd__ = __sub__ = __mul__ = __mod__ = __and__ = __lt__ = __eq__ = _count
    __bool__ = __str__ = __repr__ = __format__ = __hash__ = __len__ = __iter__ = _count
    __contains__ = __getitem__ = __neg__ = __abs__ = __int__ = __float__ = __index__ = _count
    __call__ = __enter__ = __exit__ = __round__ = __reversed__ = __invert__ = _count


class Pure:
    """Its operations depend on what they are given."""

    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return self.n + 1

    def __lt__(self, other):
        return self.n < 2

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(self.n)

    def __bool__(self):
        return self.n > 0

    def __str__(self):
        return f"{self.n}"

    def __len__(self):
        return 3

    def __iter__(self):
        return iter([self.n])

    def __contains__(self, x):
        return x == self.n

    def __getitem__(self, x):
        return x

    def __call__(self, x=0):
        return x


SHARED = {
    "LIST": [1, 2], "DICT": {"a": [1]}, "SET": {1, 2}, "DEQUE": collections.deque([1]),
    "COUNTS": collections.Counter("ab"), "MISSING": collections.defaultdict(list),
    "BUFFER": bytearray(b"ab"), "ARRAY": np.arange(3), "ITERATOR": iter([1, 2]), "PAIR": (1, [2]),
    "QUIET": Quiet(), "COUNTING": Counting(), "PURE": Pure(1), "FROZEN": frozenset((1, 2)),
    "ORDERED": collections.OrderedDict(a=1), "CHAIN": collections.ChainMap({"a": 1})}
SCOPE = {**NAMES, **SHARED, "collections": collections, "np": np, "Pure": Pure, "Quiet": Quiet,
         "Counting": Counting}
LOCAL = {
    "t.name": str, "t.uid": int, "t.amount": float, "(t.uid > 1)": bool, "t.note": None,
    "t.name.encode()": bytes, "[t.name]": list, "(t.uid, t.name)": tuple, "{t.uid}": set,
    "frozenset((t.uid,))": frozenset, "{t.name: [t.uid]}": dict, "complex(t.amount)": complex,
    "collections.deque([t.uid])": collections.deque, "bytearray(t.uid)": bytearray,
    "collections.Counter(t.name)": collections.Counter, "range(t.uid)": range, "t.tags": list,
    "collections.defaultdict(list)": collections.defaultdict, "D(t.uid)": NAMES["D"],
    "F(t.uid)": NAMES["F"], "DT(t.uid, 1, 1)": NAMES["DT"], "DATE(t.uid, 1, 1)": NAMES["DATE"],
    "TIME(t.uid)": NAMES["TIME"], "DELTA(t.uid)": NAMES["DELTA"], "iter(t.tags)": type(iter([])),
    "re.compile(t.name)": NAMES["re"].Pattern, "np.array([t.uid])": np.ndarray,
    "np.float64(t.amount)": np.float64, "uuid.UUID(t.name)": NAMES["uuid"].UUID,
    "(n for n in t.tags)": types.GeneratorType, "t.tags.__iter__": None, "Pure(t.uid)": None,
    "ipaddress.IPv4Address(t.uid)": NAMES["ipaddress"].IPv4Address, "t": None, "Quiet()": None}
SUBJECTS = {**LOCAL, **{name: type(value) for name, value in SHARED.items()}}
OPERANDS = ("t.uid", "t.name", "[t.name]", "{t.uid}", "SET", "COUNTING")
BINARY = ("+", "*", "//", "%", "&", "<<", "<", "==", "is", "in")
UNARY = """
-{} +{} ~{} not:{} bool({}) str({}) repr({}) f'{{{}}}' f'{{{}:>5}}' f'{{{}!r}}' hash({}) len({})
int({}) float({}) list({}) tuple({}) set({}) dict({}) sorted({}) sum({}) min({}) max({}) any({})
all({}) abs({}) round({}) iter({}) next({}) reversed({}) enumerate({}) zip({},{}) {}[0] {}['a']
{}[1:] {}.real {}.data {}.__class__ {}.__dict__ {}() {}(t.uid) id({}) type({}) isinstance({},int)
callable({}) getattr({},'n',0) setattr({},'n',1) vars({}) dir({}) print({}) [*{}] {{*{}}} {{{}:1}}
{{**{}}} [x:for:x:in:{}] {{x:for:x:in:{}}} {{x:1:for:x:in:{}}} list(x:for:x:in:{}) [(y:={}),y]
({},)[0] {{'k':{}}}['k'] map(str,{}) list(map(str,{})) list(filter(None,{})) '%s'%{}
'%s:%s'%({},1) '{{}}'.format({}) ','.join({}) {}.n {}:if:t.uid:else:1 {}:and:1 {}:or:1
divmod({},2) pow({},2) chr({}) ord({}) hex({}) bytes({}) frozenset({}) complex({}) slice({})
memoryview({}) format({},'') ascii({}) bin({})
"""
STATEMENTS = """
x={}; x[0]=1; return x
x={}; x+=[t.uid]; return x
x={}; x|={{t.uid}}; return x
x={}; x+=1; return x
x={}; x.n=1; return x
x={}; del x[0]; return x
for x in {}: return x
a, *b = {}; return a, b
a, b = {}; return b
with {} as x: return x
assert ({}); return 1
x = {}, 1; return x
return [{}]
return {{'k': {}}}
x = [1]; x[0] = {}; return x
x = {{}}; x['k'] = {}; return x['k']
x = []; x.append({}); return x
x = []; x.extend({}); return x
while {}: return 1
raise ValueError({})
global G; G = {}
match {}:§  case [a, *b]: return a§  case {{'a': c}}: return c§  case int(): return 1
try: return {}.nothing§except AttributeError as e: return e§finally: pass
def g(x={}): return x§return g()
def g(): yield from {}§return list(g())
return (lambda x: x)({})
import copy; return copy.copy({})
import copy; return copy.deepcopy({})
import json; return json.dumps({})
"""
MODULES = """
base64 binascii bisect bz2 calendar cmath codecs collections colorsys contextlib copy
datetime decimal difflib enum fnmatch fractions functools gzip hashlib heapq hmac html ipaddress
itertools json keyword lzma math numbers operator os.path pprint quopri re reprlib shlex statistics
string stringprep struct textwrap time typing unicodedata urllib.parse uuid zlib zoneinfo numpy
numpy.linalg builtins
"""
OF_THE_PROCESS = ("test", "get_overloads", "clear_overloads")
"""What they do depends on which modules this process has loaded."""
GIVEN = ("t.tags", "COUNTING")


ITEMS = (Entry(1.5, 7, "Ab c1", 2.5, ["x", "yy"], None), Entry(0.0, 0, "7", 0.0, ["1"], "n"))


def text_of(expression: str) -> str:
    return f"f = lambda t: {expression}"


def body(text: str) -> str:
    lines = text.replace("§", "\n    ").replace("; ", "\n    ")
    return f"def f(t):\n    {lines}\n"


def is_valid(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            compile(text, "", "exec")
        except (SyntaxError, SyntaxWarning):
            return False
    return True


# Everything that is asked: the section of the golden file, what is shown of it, the text, the scope

Asked = tuple[str, str, str, dict]


def methods() -> Iterable[Asked]:
    for subject, cls in SUBJECTS.items():
        for name in dir(cls) if cls else ():
            for given in ("", "LIST") if not name.startswith("_") else ():
                call = f".{name}({given})"
                yield subject, call, text_of(subject + call), SCOPE


def operators() -> Iterable[Asked]:
    for operator in BINARY:
        for a in SUBJECTS:
            for b in OPERANDS:
                yield operator, f"{a} {operator} {b}", text_of(f"{a} {operator} {b}"), SCOPE


def uses() -> Iterable[Asked]:
    for subject in SUBJECTS:
        for pattern in UNARY.split():
            yield subject, pattern, text_of(_spaced(pattern.format(subject, subject))), SCOPE
        for pattern in STATEMENTS.strip().splitlines():
            yield subject, pattern, body(pattern.format(subject)), SCOPE


def _spaced(text: str) -> str:
    """
    >>> _spaced("[x:for:x:in:t]")
    '[x for x in t]'
    """
    return re.sub(r":(for|in|if|else|and|or):", r" \1 ", text).replace("not:", "not ")


def functions() -> Iterable[Asked]:
    for module in MODULES.split():
        found = importlib.import_module(module)
        for name in dir(found):
            for given in GIVEN if not name.startswith("_") and name not in OF_THE_PROCESS and (
                    callable(getattr(found, name))) else ():
                yield (module, f"{name}({given})", text_of(f"m.{name}({given})"),
                       {**SCOPE, "m": found})


# What is said

def known_of(text: str, scope: dict) -> Found:
    return Effects().of(single(Map(function(text, scope))))["op"]


def said(known: Found) -> str:
    """The classes of what it gives, and its effects."""
    effects = {re.sub("`.*`", "…", f"{e.kind.name} {e.reason}") for e in known.fact.value
               if e.kind is not EffectKind.READS_SHARED}
    return "; ".join([re.sub(r"shared( \| shared)+", "shared", shown(known.outputs[0])),
                      *sorted(effects)])


def folded(said_of: Iterable[tuple[Asked, Found]]) -> str:
    """What is said, with all of which it is said, in the order of the first."""
    sections: dict[str, dict[str, list[str]]] = {}
    for (section, each, *_), known in said_of:
        sections.setdefault(section, {}).setdefault(said(known), []).append(each)
    return "".join(f"# {section}\n" + "".join(
        f"{what}\n    {'  '.join(several)}\n" for what, several in of.items())
        for section, of in sections.items())


ASKED = {"methods": methods, "operators": operators, "uses": uses, "functions": functions}
KINDS = [pytest.param(kind, marks=pytest.mark.xdist_group(kind)) for kind in ASKED]


@cache
def known_of_all(kind: str) -> list[tuple[Asked, Found]]:
    return [(asked, known_of(*asked[2:])) for asked in ASKED[kind]() if is_valid(asked[2])]


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_is_said(kind, golden):
    golden(f"operations/{kind}.txt", folded(known_of_all(kind)))


# What Python does

def shared_now() -> str:
    return repr([_looks(value) for value in SHARED.values()] + [Counting.seen])


def _looks(value: object) -> object:
    """
    >>> _looks(np.arange(2)), _looks(iter([1]))
    ([0, 1], (<built-in function iter>, ([1],), 0))
    """
    if isinstance(value, Iterator):
        return value.__reduce__()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return vars(value) if hasattr(value, "__dict__") else value


def is_one_of(value: object, shape: frozenset) -> bool:
    if not isinstance(value, (tuple, frozenset)) and any(value is v for v in SHARED.values()):
        shape = frozenset(part for part in shape
                          if isinstance(part, SharedObject) or part is ANYTHING)
    return any(_is(value, part) for part in shape)


def _is(value: object, part: object) -> bool:
    if not isinstance(part, (Plain, SharedObject, ShapeTree)) or part.cls is None:
        return part is ANYTHING or isinstance(part, ShapeTree)
    if isinstance(value, Iterator):
        # Iterators and views of all kinds are followed alike.
        return isinstance(part, Plain) or issubclass(part.cls, Iterator)
    if not isinstance(value, part.cls):
        return _is_view(value, part)
    parts = dict(getattr(part, "parts", ()))
    if not parts:
        return True
    inside = parts.get(ELEMENT, frozenset())
    if isinstance(value, dict):
        return all(is_one_of(v, inside) for v in value.values()) and all(
            is_one_of(k, parts.get(KEY, frozenset())) for k in value)
    if isinstance(value, tuple) and hasattr(value, "__record_fields__"):
        return all(is_one_of(getattr(value, name), parts[name]) for name in value._fields)
    return not isinstance(value, (list, tuple, set, frozenset, collections.deque)) or all(
        is_one_of(v, inside | parts.get(n, frozenset())) for n, v in enumerate(value))


def _is_view(value: object, part: object) -> bool:
    return type(value).__name__.removeprefix("o") == part.cls.__name__


def contradicted(asked: Asked, known: Found) -> Iterable[str]:
    """What Python does that was not said."""
    section, each, text, scope = asked
    if any(e.kind is not EffectKind.READS_SHARED for e in known.fact.value):
        return
    each, call = f"{section}: {each}", function(text, scope).call
    for item in ITEMS:
        given, before = copy.deepcopy(item), shared_now()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            try:
                found = call(given)
            except Exception:
                found = DID_NOT_END
        if out.getvalue():
            yield f"{each} prints"
        if shared_now() != before or repr(given) != repr(item):
            yield f"{each} changes something"
        if found is not DID_NOT_END and not is_one_of(found, known.outputs[0]):
            yield f"{each} gives a {type(found).__name__}, not {shown(known.outputs[0])}"


DID_NOT_END = object()
TYPES_FROM_VALUES = ("dtype", "cache", "lru_cache")
"""What they give is of a class that is made, or hidden, and does as the one that is said."""


@pytest.mark.parametrize("kind", KINDS)
def test_python_does_what_is_said(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = [found for asked, known in known_of_all(kind)
                 if asked[1].split("(")[0] not in TYPES_FROM_VALUES
                 for found in contradicted(asked, known)]
    assert wrong == []


@pytest.mark.parametrize("expression", [
    "COUNTING + max(BUFFER)", "COUNTING + D(t.uid).as_tuple().exponent",
    "COUNTING + time.gmtime(t.uid).tm_year", "COUNTING + DT(2020, 1, 1).isocalendar().week",
    "COUNTING + ARRAY.tobytes().decode()", "COUNTING == ipaddress.IPv4Address(1) + 1",
    "functools.partial(LIST.append).func(t.uid)", "functools.cache(COUNTING)(t.uid)",
    "np.ndarray(3)", "np.memmap('x')", "np.test(t.name)", "codecs.open('x')", "gzip.open('x')",
    "calendar.prmonth(2020, 1)", "collections.defaultdict(LIST.copy).default_factory.append(1)",
    "t.name.nothing", "Quiet().nothing + 1", "isinstance(t, Quiet())", "COUNTS.nothing(COUNTING)"])
def test_what_is_not_known_is_no_computation(expression):
    scope = {**SCOPE, **{name: importlib.import_module(name) for name in (
        "codecs", "gzip", "functools")}}
    effects = known_of(text_of(expression), scope).fact.value
    assert any(e.kind is not EffectKind.READS_SHARED for e in effects)


@pytest.mark.parametrize("text", ["pass", "if t.uid > 1: return 1", "for x in []: return x"])
def test_a_function_that_ends_without_a_return_gives_none(text):
    assert Plain(type(None)) in known_of(body(text), SCOPE).outputs[0]


def test_a_later_operator_is_analysed_without_running_code_of_what_it_gets():
    scope = {**SCOPE, "COUNTING": Counting()}
    first, second = (function(f"f = lambda t: {text}", scope) for text in ("[COUNTING]", "len(t)"))
    before = Counting.seen
    assert analyse(chain(Map(first), Map(second)))["op1"].state.value.kind is StateKind.STATELESS
    assert Counting.seen == before
