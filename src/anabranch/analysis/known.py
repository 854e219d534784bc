"""What is known of Python's own functions and methods: which compute, and which do more."""

from __future__ import annotations

import bisect
import builtins
import collections
import copy
import datetime
import decimal
import fractions
import functools
import hashlib
import heapq
import itertools
import operator
import re
import time

from anabranch.analysis import known_arrays
from anabranch.analysis.facts import EffectKind

IO, RANDOM, CLOCK = EffectKind.IO, EffectKind.RANDOM, EffectKind.CLOCK


def _builtins(names: str) -> tuple:
    return tuple(getattr(builtins, n) for n in names.split())


PURE = (*_builtins("abs all any ascii bin bool bytes callable chr complex divmod float format "
                   "hasattr hex int isinstance issubclass len oct ord pow range repr round slice "
                   "str type"),
        str.maketrans, time.strptime, time.mktime)
COPYING = (*_builtins("bytearray dict enumerate filter frozenset list map reversed set sorted "
                      "tuple zip"),
           copy.copy, collections.Counter, collections.deque, collections.OrderedDict,
           collections.defaultdict, heapq.nlargest, heapq.nsmallest, heapq.merge,
           itertools.chain, itertools.islice, itertools.takewhile, itertools.dropwhile,
           itertools.accumulate, itertools.product, itertools.combinations,
           itertools.permutations, itertools.groupby, itertools.starmap, itertools.pairwise,
           itertools.repeat, itertools.cycle, itertools.zip_longest, itertools.compress)
SELECTING = (*_builtins("getattr iter max min sum"), functools.reduce)
CHANGING = (*_builtins("delattr next setattr"), heapq.heappush, heapq.heappop, heapq.heapify,
            heapq.heappushpop, heapq.heapreplace, bisect.insort, bisect.insort_left,
            bisect.insort_right, operator.setitem, operator.delitem, operator.iadd, operator.ior,
            operator.iand, operator.ixor, operator.isub, operator.imul, operator.iconcat,
            *known_arrays.CHANGING)
# The position of the argument that is called.
TAKES_FUNCTION = tuple((function, position) for position, functions in enumerate((
    (*_builtins("map filter"), functools.reduce, itertools.starmap, itertools.takewhile,
     itertools.dropwhile, itertools.filterfalse, functools.cmp_to_key),
    (itertools.groupby, itertools.accumulate, re.sub, re.subn),
    (heapq.nlargest, heapq.nsmallest))) for function in functions)

EFFECTS = {
    **dict.fromkeys(_builtins("print open input breakpoint"), IO),
    **dict.fromkeys((*_builtins("id hash"), *known_arrays.UNINITIALISED), RANDOM),
    **dict.fromkeys(known_arrays.READING_OR_WRITING, IO),
}
# They take the time of the clock only when they are given fewer arguments.
TIME_GIVEN = {time.gmtime: 1, time.localtime: 1, time.ctime: 1, time.asctime: 1, time.strftime: 2}
NAMED_EFFECTS = {
    ("datetime", "now"): CLOCK, ("datetime", "utcnow"): CLOCK, ("datetime", "today"): CLOCK,
    ("uuid", "uuid1"): RANDOM, ("uuid", "uuid4"): RANDOM,
    ("json", "load"): IO, ("json", "dump"): IO,
    **{(m, n): IO for m in ("posixpath", "ntpath")
       for n in ("abspath", "realpath", "expanduser", "expandvars", "ismount", "relpath",
                 "lexists")},
}
MODULE_EFFECTS = {
    **dict.fromkeys(("random", "_random", "secrets", "numpy.random"), RANDOM),
    "time": CLOCK,
    **dict.fromkeys(("os", "posix", "nt", "io", "_io", "socket", "_socket", "ssl", "subprocess",
                     "shutil", "tempfile", "glob", "pathlib", "genericpath", "sys", "logging",
                     "requests", "urllib.request", "http.client", "sqlite3", "threading",
                     "_thread", "multiprocessing", "asyncio", "queue", "warnings", "signal",
                     "gc", "pickle", "_pickle", "csv", "_csv"), IO),
}
PURE_MODULES = frozenset((
    "math", "cmath", "operator", "_operator", "statistics", "re", "_sre", "itertools", "string",
    "decimal", "_decimal", "fractions", "hashlib", "_hashlib", "_blake2", "_sha3", "_md5", "_sha1",
    "_sha256", "_sha512", "_sha2", "datetime", "collections", "_collections", "copy", "heapq",
    "_heapq", "bisect", "_bisect", "textwrap", "unicodedata", "base64", "binascii", "struct",
    "_struct", "zlib", "html", "urllib.parse", "ipaddress", "difflib", "calendar", "numbers",
    "enum", "json", "json.decoder", "json.encoder", "_json", "_functools", "functools", "typing",
    "posixpath", "ntpath", "uuid", "dataclasses", "contextlib", "zoneinfo"))

# Names, for receivers whose type is not known: what the methods of built-in types do.
CHANGING_METHODS = frozenset((
    "append", "appendleft", "add", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "move_to_end", "pop", "popitem", "popleft", "remove",
    "reverse", "rotate", "setdefault", "sort", "subtract", "symmetric_difference_update", "update",
    "__setitem__", "__delitem__", "__setattr__", "__iadd__", "write", "writelines", "send", "throw",
    "close", *known_arrays.CHANGING_METHODS))
SPREADING_METHODS = frozenset((
    "extend", "extendleft", "update", "difference_update", "intersection_update",
    "symmetric_difference_update", "subtract", "__iadd__"))
TYPES = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range,
         collections.deque, collections.Counter, collections.OrderedDict, datetime.datetime,
         datetime.date, datetime.time, datetime.timedelta, re.Pattern, re.Match,
         decimal.Decimal, fractions.Fraction, type(hashlib.md5()), hashlib.blake2b, hashlib.blake2s)
PURE_METHODS = (frozenset(n for t in TYPES for n in dir(t) if not n.startswith("_"))
                | known_arrays.PURE_METHODS) - CHANGING_METHODS - {"now", "utcnow", "today"}
CONTAINERS = (list, dict, set, collections.deque, collections.Counter, collections.OrderedDict,
              collections.defaultdict, bytearray)

VERBS = {"append": "appends to", "extend": "appends to", "add": "adds to", "insert": "inserts into",
         "pop": "removes from", "popleft": "removes from", "remove": "removes from",
         "discard": "removes from", "clear": "clears", "sort": "sorts", "update": "updates"}
EFFECT_WORDS = {IO: "does input or output", RANDOM: "is random", CLOCK: "reads the clock"}
