# ruff: noqa
"""Methods that a library wrote read parts which code of the user's gives: descriptors as fields,
attributes that are computed, named tuples that say what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
import dataclasses

SEEN = []


def count(*a, **k):
    SEEN.append(1)
    return len(SEEN)


class Counted:

    def __set_name__(self, o, n):
        self.n = '_' + n

    def __get__(self, o, c=None):
        if o is None:
            return 7
        Counted.reads += 1
        return Counted.reads

    def __set__(self, o, v):
        pass
    reads = 0


@dataclass
class Desc:
    x: int = Counted()


@dataclass(order=True)
class DescO:
    x: int = Counted()


DESC, DESC2 = (Desc(), Desc())
DO1, DO2 = (DescO(), DescO())


def map_dc_desc_repr(t):
    return repr(DESC)


def map_dc_desc_eq(t):
    DESC == DESC2
    return Counted.reads


def map_dc_desc_repr_local(t):
    return repr(Desc())


def map_dc_desc_lt(t):
    return (DO1 < DO2, repr(DO1))


def map_dc_asdict(t):
    return dataclasses.asdict(DESC)['x']


def map_dc_astuple(t):
    return dataclasses.astuple(Desc())


def map_dc_replace(t):
    return dataclasses.replace(DESC).x


@dataclass
class Watched:
    x: int = 1

    def __getattribute__(self, name):
        if name == 'x':
            SEEN.append(1)
            return len(SEEN)
        return object.__getattribute__(self, name)


W = Watched()


def map_dc_getattribute_repr(t):
    return repr(W)


def map_dc_getattribute_str_in_list(t):
    return str([W])


def map_dc_getattribute_format(t):
    return f'{W}'


def map_dc_getattribute_asdict(t):
    return dataclasses.asdict(W)


@dataclass(frozen=True)
class Key:
    x: int = 1

    def __getattribute__(self, name):
        if name == 'x':
            SEEN.append(1)
            return len(SEEN) % 3
        return object.__getattribute__(self, name)


def map_dc_getattribute_hash(t):
    return {Key(): 1}.get(Key(), len(SEEN))


class NT(NamedTuple):
    a: int
    b: int


class NTI(NT):

    def __iter__(self):
        SEEN.append(1)
        yield len(SEEN)
        yield 2


def map_nt_asdict(t):
    return NTI(t.n, 2)._asdict()


def map_nt_replace(t):
    return tuple.__repr__(NTI(t.n, 2)._replace(b=3))


class NTF(NT):

    @property
    def _fields(self):
        count()
        return ('a', str(len(SEEN)))


def map_nt_fields(t):
    return NTF(1, 2)._asdict()
