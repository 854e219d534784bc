# ruff: noqa
"""Numbers, texts and records of the user's, names that come to mean something else, shared arrays."""

import abc
import array
import collections
import contextlib
import copy
import csv
import dataclasses
import datetime
import enum
import functools
import io
import itertools
import json
import math
import operator
import os
import random
import re
import statistics
import sys
import threading
import types
import typing
import numpy as np
import anabranch as ab
N = [0]
LOG = []
D = {}


def _tick(*a):
    N[0] += 1
    return N[0]


class Num(int):
    def __add__(self, o):
        N[0] += 1
        return N[0]
    __radd__ = __add__
    def __mul__(self, o):
        N[0] += 1
        return N[0]
    __rmul__ = __mul__
    def bit_length(self):
        N[0] += 1
        return N[0]
    def __index__(self):
        N[0] += 1
        return N[0] % 3
    def __float__(self):
        N[0] += 1
        return float(N[0])
    def __round__(self, n=None):
        N[0] += 1
        return N[0]
    def __divmod__(self, o):
        N[0] += 1
        return N[0]
    def __pow__(self, o, m=None):
        N[0] += 1
        return N[0]
    def __bool__(self):
        N[0] += 1
        return N[0] % 2 == 0
    def __int__(self):
        N[0] += 1
        return N[0]


ONE = Num(1)


def map_num_sum(t): return sum([ONE, ONE])


def map_num_sum_start(t): return sum([1], ONE)


def map_num_prod(t): return math.prod([ONE, 2])


def map_num_radd(t): return t.n + ONE


def map_num_bit(t): return ONE.bit_length()


def map_num_float(t): return math.sqrt(ONE)


def map_num_float2(t): return float(ONE)


def map_num_round(t): return round(ONE)


def map_num_divmod(t): return divmod(ONE, 2)


def map_num_pow(t): return pow(ONE, 2)


def map_num_pow3(t): return pow(ONE, 2, 5)


def map_num_bool(t): return "x" if ONE else "y"


def map_num_any(t): return any([ONE])


def map_num_not(t): return not ONE


def map_num_int(t): return int(ONE)


def map_num_filter(t): return len(list(filter(None, [ONE])))


def map_num_fsum(t): return math.fsum([ONE])


def map_num_mean(t): return statistics.fmean([ONE, 1])


def map_num_date(t): return datetime.date(2020, 1, 1 + (ONE % 2)).day if False else datetime.date.fromordinal(1 + int.__add__(ONE, 1)).day + ONE


def map_num_reduce(t): return functools.reduce(operator.add, [ONE, 1])


def map_num_accumulate(t): return list(itertools.accumulate([ONE, 1]))[-1]


def map_num_counter(t): return sum(collections.Counter(a=ONE).values())


def map_num_np(t): return int(np.sum(np.array([1])) + ONE)


def map_num_npint(t): return int(np.int64(1) + ONE)


def map_num_shift(t): return 1 + (ONE + 2)


def map_num_where(t): return (ONE and 1) or 2


class Str(str):
    def __eq__(self, o):
        N[0] += 1
        return N[0] % 2 == 0
    def __hash__(self):
        N[0] += 1
        return 1
    def __str__(self):
        N[0] += 1
        return str(N[0])
    def __format__(self, s):
        N[0] += 1
        return str(N[0])
    def __len__(self):
        N[0] += 1
        return N[0]
    def __contains__(self, x):
        N[0] += 1
        return N[0] % 2 == 0
    def __iter__(self):
        N[0] += 1
        return iter(str(N[0]))
    def __getitem__(self, i):
        N[0] += 1
        return str(N[0])
    def __add__(self, o):
        N[0] += 1
        return str(N[0])
    def __mod__(self, o):
        N[0] += 1
        return str(N[0])
    def __lt__(self, o):
        N[0] += 1
        return N[0] % 2 == 0
    def split(self, *a):
        N[0] += 1
        return [str(N[0])]
    def join(self, *a):
        N[0] += 1
        return str(N[0])
    def encode(self, *a):
        N[0] += 1
        return str(N[0]).encode()
    def format(self, *a):
        N[0] += 1
        return str(N[0])


S = Str("abc")


def map_str_eq(t): return S == t.word


def map_str_eq_r(t): return t.word == S


def map_str_in_list(t): return t.word in [S]


def map_str_fmt(t): return f"{S}"


def map_str_percent(t): return "%s" % S


def map_str_str(t): return str(S)


def map_str_len(t): return len(S)


def map_str_contains(t): return "a" in S


def map_str_iter(t): return "".join(c for c in S)


def map_str_list(t): return str(list(S))


def map_str_item(t): return S[0]


def map_str_slice(t): return S[1:]


def map_str_add(t): return S + "x"


def map_str_mod(t): return S % ()


def map_str_lt(t): return S < "x"


def map_str_split(t): return S.split()[0]


def map_str_join(t): return S.join(["a", "b"])


def map_str_encode(t): return S.encode()


def map_str_format(t): return S.format()


def map_str_match(t):
    match t.word:
        case Consts.S:
            return 1
    return N[0]


class Consts:
    S = S


def map_str_count(t): return [S, "a"].count("a")


def map_str_index(t): return ["b", S, "a"].index("a")


def map_str_remove(t):
    xs = [S, "a"]; xs.remove("a"); return len(xs) + N[0]


def map_str_cmp_dict(t): return {"a": S} == {"a": "b"}


def map_str_cmp_tuple(t): return (S,) == ("b",)


def map_str_join_in(t): return "-".join([S, "b"]) + str(len(S))


def map_str_replace(t): return "abc".replace("a", S) + str(S)


def map_str_regex(t): return re.sub("a", "b", S) + S[0]


def map_str_json(t): return json.dumps({"a": [1]}) + S.join("x")


def map_str_dataclass_eq(t): return DC(S) == DC("b")


@dataclasses.dataclass
class DC:
    s: str


def map_str_nt_eq(t): return NT(S) == NT("b")
NT = collections.namedtuple("NT", "s")


def map_str_in_dictvalues(t): return "b" in {"x": S}.values()


def map_str_in_items(t): return ("x", "b") in {"x": S}.items()


def map_str_defaultdict(t): return collections.defaultdict(int)[S] + N[0]


def map_str_counter(t): return len(collections.Counter([S, "a", "b"])) + N[0]


def map_str_setlen(t): return len({S, "a"}) + N[0]


def map_str_groupby(t): return len(list(itertools.groupby([S, "a", "b"])))


class Rec(ab.Record):
    a: int
    def __add__(self, o):
        N[0] += 1
        return N[0]
    def __eq__(self, o):
        N[0] += 1
        return N[0] % 2 == 0
    __hash__ = None
    def __iter__(self):
        N[0] += 1
        return iter([N[0]])
    def __len__(self):
        N[0] += 1
        return N[0]
    @property
    def p(self):
        N[0] += 1
        return N[0]
    def replace(self, **k):
        N[0] += 1
        return Rec(N[0])


def map_rec_add(t): return Rec(t.n) + 1


def map_rec_eq(t): return Rec(t.n) == Rec(t.n)


def map_rec_iter(t): return list(Rec(t.n))[0]


def map_rec_len(t): return len(Rec(t.n))


def map_rec_prop(t): return Rec(t.n).p


def map_rec_replace(t): return Rec(t.n).replace(a=1).a


def map_rec_unpack(t):
    (a,) = Rec(t.n)
    return a


def map_rec_match(t):
    match Rec(t.n):
        case Rec(p=x):
            return x


def map_rec_star(t): return (lambda a: a)(*Rec(t.n))


def map_rec_in(t): return Rec(1) in [Rec(2)]


class Singleton:
    inst = None
    def __new__(cls):
        if cls.inst is None:
            cls.inst = super().__new__(cls)
            cls.inst.n = 0
        return cls.inst


def map_singleton(t):
    s = Singleton()
    s.n += 1
    return s.n


class Borg:
    shared = {}
    def __init__(self):
        self.__dict__ = self.shared


def map_borg(t):
    b = Borg()
    b.n = getattr(b, "n", 0) + 1
    return b.n


class Reg:
    all = []
    def __init_subclass__(cls, **k):
        Reg.all.append(cls)


def map_init_subclass(t):
    type("X", (Reg,), {})
    return len(Reg.all)


def map_class_inside(t):
    class X(Reg):
        pass
    return len(Reg.all)


class NameDesc:
    def __set_name__(self, o, n):
        N[0] += 1


def map_set_name(t):
    class X:
        d = NameDesc()
    return N[0]


@dataclasses.dataclass
class F:
    xs: list = dataclasses.field(default_factory=lambda: LOG)
    n: typing.ClassVar[int] = 0
    ys: typing.ClassVar[list] = []


def map_factory(t):
    F().xs.append(1)
    return len(F().xs)


def map_classvar(t):
    F().ys.append(1)
    return len(F.ys)


def map_classvar_n(t):
    F.n += 1
    return F.n


def map_type_attr(t):
    type(F()).ys.append(1)
    return len(F.ys)


def map_class_attr_inst(t):
    f = F()
    f.__class__.ys.append(2)
    return len(f.ys)


@dataclasses.dataclass(slots=True)
class Slots:
    it: object = dataclasses.field(default=itertools.count())


def map_slots_default(t):
    return next(Slots().it)


class NTD(typing.NamedTuple):
    xs: list = []


def map_nt_default(t):
    NTD().xs.append(1)
    return len(NTD().xs)


class E(enum.Enum):
    A = dataclasses.field
    B = 2
    def __init__(self, v):
        self.seen = []


def map_enum_inst_list(t):
    E.B.seen.append(1)
    return len(E(2).seen)


class E2(enum.IntFlag):
    X = 1
    Y = 2


E2.log = LOG


def map_enum_class_list(t):
    E2.X.log.append(1)
    return len(LOG)


TL = threading.local()
TL.limit = 5


def map_random(t): return random.Random(1).random() + random.random()
R = random.Random(3)


def map_random_obj(t): return R.randint(0, 1000)


def map_np_rng(t): return float(RNG.random())
RNG = np.random.default_rng(1)


def map_environ(t):
    os.environ["ABX"] = os.environ.get("ABX", "") + "x"
    return len(os.environ["ABX"])


def map_sys_attr(t):
    sys.abx = getattr(sys, "abx", 0) + 1
    return sys.abx


def map_setrecursion(t):
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)
    return sys.getrecursionlimit()


def map_getsizeof(t):
    LOG.append(1)
    return sys.getsizeof(LOG)


def map_np_view(t):
    v = ARR[1:]
    v[0] += 1
    return int(ARR[1])


ARR = np.zeros(4)


def map_np_reshape(t):
    ARR.reshape(2, 2)[0, 0] += 1
    return float(ARR[0])


def map_np_ravel(t):
    np.ravel(ARR)[2] += 1
    return float(ARR[2])


def map_np_split(t):
    np.split(ARR, 2)[1][0] += 1
    return float(ARR[2])


def map_np_broadcast(t):
    a, b = np.broadcast_arrays(ARR, ARR)
    return float(np.add(ARR, 1, out=ARR)[0])


def map_np_at(t):
    np.add.at(ARR, [0], 1)
    return float(ARR[0])


def map_np_iadd(t):
    a = ARR
    a += 1
    return float(a[0])


def map_np_kw(t):
    np.multiply(ARR, 2, **{"out": ARR})
    np.add(ARR, 1, **KW)
    return float(ARR[0])


KW = {"out": ARR}


def map_np_partial(t): return float(PA(1)[0])
PA = functools.partial(np.add, ARR, out=ARR)


def map_np_flat(t):
    ARR.flat[0] += 1
    return float(ARR[0])


def map_np_T(t):
    ARR.T[0] += 1
    return float(ARR[0])


def map_np_swapaxes(t):
    np.atleast_2d(ARR)[0][0] += 1
    return float(ARR[0])


def map_np_asarray(t):
    np.asarray(ARR)[0] += 1
    return float(ARR[0])


def map_np_squeeze(t):
    np.squeeze(ARR)[0] += 1
    return float(ARR[0])


def map_np_diag(t):
    np.fill_diagonal(ARR2, ARR2[0, 0] + 1)
    return float(ARR2[0, 0])


ARR2 = np.zeros((2, 2))


def map_np_item(t):
    ARR2.itemset(0) if False else ARR2.put(0, ARR2[0, 0] + 1)
    return float(ARR2[0, 0])


def map_np_sort(t):
    ARR2[0, 0] = t.n
    ARR2.sort()
    return float(ARR2[0, 0])


def map_np_for(t):
    for row in ARR2:
        row += 1
    return float(ARR2[0, 0])


def map_np_zip(t):
    for row, k in zip(ARR2, [1, 2]):
        row[0] += k
    return float(ARR2[0, 0])


def map_np_enum(t):
    for i, row in enumerate(ARR2):
        row[i] += 1
    return float(ARR2[0, 0])


def map_np_iter(t):
    next(iter(ARR2))[0] += 1
    return float(ARR2[0, 0])


def map_np_list(t):
    list(ARR2)[0][0] += 1
    return float(ARR2[0, 0])


def map_np_unpack(t):
    a, b = ARR2
    a[0] += 1
    return float(ARR2[0, 0])


def map_np_errstate(t):
    old = np.seterr(all="ignore")
    np.seterr(divide="raise" if t.n % 2 else "ignore")
    return old["divide"]


def map_np_object(t):
    return int(np.sum(np.array([ONE], dtype=object) + 1))


def map_cls_attr_walrus(t):
    return len([C3.n for C3.n in [C3.n + 1]]) * C3.n


class C3:
    n = 0


def map_comp_shadow(t):
    return [len() for len in [lambda: _tick()]][0]


def map_param_shadow(t):
    def f(len):
        return len(t.word)
    return f(lambda w: _tick())


def map_lambda_shadow(t):
    return (lambda str: str(1))(lambda x: _tick())


def map_rebind(t):
    f = abs
    if t.n >= 0:
        f = _tick
    return f(1)


def map_rebind_loop(t):
    f = abs
    for f in (abs, _tick):
        pass
    return f(1)


def map_rebind_except(t):
    f = abs
    try:
        raise KeyError(_tick)
    except KeyError as f:
        return f.args[0]()


def map_rebind_with(t):
    with contextlib.nullcontext(_tick) as abs:
        return abs(1)


def map_rebind_import(t):
    from operator import setitem as max
    max(D, t.n, 1)
    return len(D)


def map_rebind_walrus(t):
    return (min := _tick)(1)


def map_rebind_walrus_comp(t):
    [(min := f) for f in [_tick]]
    return min(1)


def map_rebind_match(t):
    match _tick:
        case sum:
            return sum(1)


def map_rebind_star(t):
    *_, len = [abs, _tick]
    return len(1)


def map_rebind_nonlocal(t):
    f = abs
    def g():
        nonlocal f
        f = _tick
    g()
    return f(1)


def map_rebind_del(t):
    f = abs
    del f
    f = _tick
    return f()


def map_rebind_default(t, abs=_tick):
    return abs(1)


def map_rebind_dict(t):
    ops = {"abs": abs}
    ops["abs"] = _tick
    return ops["abs"](1)


def map_rebind_getattr(t):
    return getattr(HOLD, "abs")(1)


HOLD = types.SimpleNamespace(abs=_tick)


def map_rebind_vararg(t):
    return (lambda *abs: abs[0](1))(_tick)


def map_rebind_kwarg(t):
    return (lambda **k: k["abs"](1))(abs=_tick)


def map_rebind_class(t):
    return Ops.abs(1)


class Ops:
    abs = _tick


def map_recursive_default(t):
    def f(n, acc=[]):
        acc.append(n)
        return len(acc) if n <= 0 else f(n - 1)
    return f(2) + _tick()


def map_copy_shallow(t):
    copy.copy(D).setdefault("k", LOG)
    D.setdefault("k", LOG)
    copy.copy(D)["k"].append(1)
    return len(LOG)


def map_replace_dc(t):
    dataclasses.replace(DCX, n=2).xs.append(1)
    return len(DCX.xs)


@dataclasses.dataclass
class DCC:
    n: int
    xs: list


DCX = DCC(1, [])


def map_asdict(t):
    dataclasses.asdict(DCX)["xs"].append(1)
    vars(DCX)["xs"].append(1)
    return len(DCX.xs)


def map_fields(t):
    dataclasses.fields(DCX)[0].metadata
    return DCC.__dataclass_fields__["n"].__dict__.setdefault("k", []).append(1) or 0 if False else _tick()


META = dataclasses.make_dataclass("META", [("x", int, dataclasses.field(default=0, metadata={"log": LOG}))])


def map_field_metadata(t):
    dataclasses.fields(META)[0].metadata["log"].append(1)
    return len(LOG)


def map_annotations(t):
    DCC.__annotations__["z"] = LOG
    DCC.__annotations__["z"].append(1)
    return len(LOG)


def map_doc(t):
    DCC.__doc__ = (DCC.__doc__ or "") + "x"
    return len(DCC.__doc__)


def map_func_doc(t):
    _tick.__doc__ = (_tick.__doc__ or "") + "x"
    return len(_tick.__doc__)


def map_func_name(t):
    _tick.__name__ = _tick.__name__ + "x"
    return len(_tick.__name__)


def map_module_attr(t):
    math.abx = getattr(math, "abx", 0) + 1
    return math.abx


def map_abc_register(t):
    before = isinstance(C3(), AB)
    AB.register(C3)
    return before


class AB(abc.ABC):
    pass


def map_csv_dialect(t):
    csv.register_dialect("d%d" % t.n, delimiter=";")
    return len(csv.list_dialects())


def map_string_io_shared(t):
    SIO.write("x")
    return len(SIO.getvalue())


SIO = io.StringIO()


def map_readline(t):
    return RL.readline()


RL = io.StringIO("\n".join(map(str, range(1000))))


def map_iter_file(t):
    return next(RL)


def map_gen_global(t):
    return next(GEN)


GEN = (i for i in itertools.count())


def map_gen_send(t):
    return GS.send(1)


def _gs():
    n = 0
    while True:
        n += yield n


GS = _gs()
next(GS)


def map_tee_global(t):
    return next(TEE[0])


TEE = itertools.tee(itertools.count())


def map_zip_global(t):
    return next(ZIP)[0]


ZIP = zip(itertools.count(), itertools.count())


def map_chain_global(t):
    return next(itertools.chain(ZIP, []))[0]


CNT = itertools.count()


def map_dict_iter(t):
    return next(DI, -1)


DI = iter({k: 1 for k in range(1000)})


def map_reversed_global(t):
    return next(RV, -1)


RV = reversed(range(1000))


def map_acc_global(t):
    return next(AC)


AC = itertools.accumulate(itertools.count())


def map_map_global(t):
    return next(MP)


MP = map(str, itertools.count())


def map_groupby_global(t):
    return next(GB)[0]


GB = itertools.groupby(itertools.count())


def map_re_finditer_global(t):
    return next(FI).start()


FI = re.finditer("a", "a" * 1000)


def map_unpack_iter_global(t):
    a, *_ = [*itertools.islice(CNT, 2)]
    return a


class Moment(datetime.datetime):
    def isoformat(self, *given):
        return str(_tick())

    def strftime(self, how):
        return str(_tick())


MOMENT = Moment(2024, 1, 1)


def map_moment_format(t):
    return f"{MOMENT:%Y}"


def map_moment_str(t):
    return str(MOMENT)


def map_moment_made(t):
    return "%s" % Moment(2024, 1, 1)


class Stack(typing.Generic[typing.TypeVar("T")]):
    def get(self):
        return _tick()


def map_generic_class(t):
    return Stack[int]().get()


WHOLE = Stack[int]


def map_generic_alias(t):
    return WHOLE().get()
