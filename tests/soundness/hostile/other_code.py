# ruff: noqa
"""Code that is not what its text says, names that are computed, and values that nobody changes."""

from __future__ import annotations

import anabranch as ab
import enum
import fractions
import hashlib
import io
import re
import struct
import types
import uuid

USES = {}
SEEN = []


class Rec(ab.Record):
    n: int
    way: str
    log = []

    def bump(self):
        SEEN.append(1)
        return len(SEEN)

    @classmethod
    def tick(cls):
        cls.log.append(1)
        return len(cls.log)


RECS = [Rec(n, ('bump', 'n', 'tick')[n % 3]) for n in range(40)]
USES['map_computed_method2'] = RECS


def map_computed_method2(t):
    return getattr(t, 'bu' + 'mp')()


USES['map_computed_class_list'] = RECS


def map_computed_class_list(t):
    log = getattr(t, 'l' + 'og')
    log.append(1)
    return len(log)


ST = struct.Struct('<i')


def map_struct_init(t):
    before = ST.size
    ST.__init__('<' + 'i' * (t.n % 5 + 1))
    return before


FR = fractions.Fraction(1, 3)


def map_fraction_slot2(t):
    before = FR.numerator
    FR._numerator = t.n
    return before


UU = uuid.UUID(int=5)


def map_uuid_int(t):
    before = UU.int
    object.__setattr__(UU, 'int', t.n)
    return before


def map_text_of_library(t):
    return (str(io.StringIO('x')), repr(hashlib.sha256()))


def map_text_of_scanner(t):
    return repr(re.compile('a').scanner(t.word))


def map_re_cache(t):
    re.match(t.word, 'a')
    return len(re._cache)


def count(*a, **k):
    SEEN.append(1)
    return len(SEEN)


def _harmless(t):
    return len(t.xs)


map_names_swapped = types.FunctionType(_harmless.__code__.replace(co_names=('count', 'xs')), globals())
map_no_loader = types.FunctionType(_harmless.__code__.replace(co_names=('count', 'xs')), {'count': count})
map_own_builtins = types.FunctionType(_harmless.__code__, {'__builtins__': {'len': count}})
map_own_builtins2 = types.FunctionType(_harmless.__code__, {**globals(), '__builtins__': {'len': count}})
_line = _harmless.__code__.co_firstlineno
_text = '\n' * (_line - 1) + 'def _harmless(t):\n    return count(t.xs)\n'
_ns = {'count': count}
exec(compile(_text, __file__, 'exec'), _ns)
map_same_place = _ns['_harmless']


class Auto(enum.Enum):
    A = enum.auto()

    @enum.property
    def hits(self):
        return count()


def map_enum_property(t):
    return Auto.A.hits
