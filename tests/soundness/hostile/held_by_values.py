# ruff: noqa
"""Shared objects in what looks like a plain value, or comes out of a function."""

import array
import collections
import contextvars
import copy
import dataclasses
import datetime
import decimal
import functools
import hashlib
import io
import itertools
import re
import string
import struct
import threading
import types
import typing
import weakref
import zlib
import numpy as np
import anabranch as ab
from soundness.items import items
LOG = []
N = [0]
D = {"a": [], "b": []}
S = slice(LOG)


def map_slice_start(t):
    S.stop.append(t.n)
    return len(S.stop)


GA = types.GenericAlias(list, (LOG,))


def map_generic_alias_args(t):
    GA.__args__[0].append(t.n)
    return len(GA.__args__[0])


DT = np.dtype("i4", metadata={"log": []})


def map_dtype_metadata(t):
    DT.metadata["log"].append(1)
    return len(DT.metadata["log"])


class Txt(str):
    def __len__(self):
        N[0] += 1
        return N[0]
    def upper(self):
        N[0] += 1
        return str(N[0])


MS = re.match("a", Txt("abc"))


def map_match_string(t):
    return len(MS.string)


def map_match_string_upper(t):
    return MS.string.upper()


TZ = datetime.timezone(datetime.timedelta(0), Txt("abc"))


def map_timezone_name(t):
    return len(TZ.tzname(None))


class Deep:
    def __eq__(self, o):
        N[0] += 1
        return N[0] % 2 == 0
    def __lt__(self, o):
        N[0] += 1
        return N[0] % 2 == 0
    def __hash__(self):
        return 1


DP = [[[[[[Deep()]]]]]]


def map_deep_equality(t):
    return DP == [[[[[[t.n]]]]]]


def map_deep_in(t):
    return [[[[[t.n]]]]] in DP


def map_deep_index(t):
    try:
        return DP.index([[[[[t.n]]]]])
    except ValueError:
        return -1


class DictGet(dict):
    def get(self, k, d=None):
        N[0] += 1
        return N[0]


DG = DictGet(a=1)


def map_match_mapping_get(t):
    match DG:
        case {"a": x}:
            return x


class DictLen(dict):
    def __len__(self):
        N[0] += 1
        return N[0] % 2


DL = DictLen(a=1)


def map_match_len(t):
    match DL:
        case {"a": _}:
            return 1
    return 0


class Seq(collections.UserList):
    def __len__(self):
        N[0] += 1
        return N[0] % 3


SQ = Seq([1, 2, 3])


def map_match_seq_len(t):
    match SQ:
        case [_, _]:
            return 2
        case [_]:
            return 1
    return 0


TL = threading.local()
TL.limit = 5


def map_thread_local(t):
    TL.limit = getattr(TL, "limit", 0) + 1
    return TL.limit


class Tick:
    n = 0
    def __del__(self):
        if Tick is not None:
            Tick.n += 1


TICK = Tick()


def map_del_new(t):
    Tick.__new__(Tick)
    return Tick.n


def map_del_object_new(t):
    object.__new__(Tick)
    return Tick.n


def map_del_copy(t):
    copy.copy(TICK)
    return Tick.n


def map_del_deepcopy(t):
    copy.deepcopy(TICK)
    return Tick.n


@dataclasses.dataclass
class DTick:
    x: int = 0
    def __del__(self):
        if Tick is not None:
            Tick.n += 1


DTICK = DTick()


def map_del_replace(t):
    dataclasses.replace(DTICK, x=1)
    return Tick.n


class RTick(typing.NamedTuple):
    x: int


class RT2(RTick):
    def __del__(self):
        if Tick is not None:
            Tick.n += 1


RT = RT2(1)


def map_del_nt_replace(t):
    RT._replace(x=2)
    return Tick.n


def map_del_nt_make(t):
    RT2._make([2])
    return Tick.n


class LTick(list):
    def __del__(self):
        if Tick is not None:
            Tick.n += 1


LT = LTick()


def map_del_list(t):
    LTick()
    return Tick.n


def map_del_list_copy_module(t):
    copy.copy(LT)
    return Tick.n


class Rec(ab.Record):
    a: int


class RecDel(Rec):
    def __del__(self):
        if Tick is not None:
            Tick.n += 1


RD = RecDel(1)


def map_del_record_replace(t):
    RD.replace(a=2)
    return Tick.n


class Obj:
    def __init__(self):
        self.n = 0
        self.xs = []


OBJ = Obj()


def map_getstate_dict(t):
    st = OBJ.__getstate__()
    st["n"] = st["n"] + 1
    return OBJ.n + len(OBJ.xs)


def map_getstate_list(t):
    OBJ.__getstate__()["xs"].append(1)
    return len(OBJ.xs)


def map_reduce_ex(t):
    OBJ.__reduce_ex__(2)[2]["xs"].append(1)
    return len(OBJ.xs)


def map_getnewargs(t):
    return len(TUP.__getnewargs__()[0][0].append(1) or TUP[0])


TUP = ([],)


def map_getnewargs2(t):
    TUP.__getnewargs__()[0][0].append(1)
    return len(TUP[0])


def map_tuple_add_empty(t):
    (TUP + ())[0].append(1)
    return len(TUP[0])


def map_tuple_mul(t):
    (TUP * 1)[0].append(1)
    return len(TUP[0])


def map_tuple_slice(t):
    TUP[:1][0].append(1)
    return len(TUP[0])


def map_list_copy_inner(t):
    list(TUP)[0].append(1)
    return len(TUP[0])


def map_dict_copy_inner(t):
    D.copy()["a"].append(1)
    return len(D["a"])


def map_dict_or_inner(t):
    (D | {})["a"].append(1)
    return len(D["a"])


def map_zip_inner(t):
    for a, b in zip(D, D.values()):
        b.append(1)
    return len(D["a"])


def map_max_inner(t):
    max(D.values(), key=len).append(1)
    return len(D["a"]) * 100 + len(D["b"])


def map_nlargest_inner(t):
    import heapq
    heapq.nlargest(1, D.values(), key=len)[0].append(1)
    return len(D["a"]) * 100 + len(D["b"])


def map_chain_from_iterable(t):
    next(itertools.chain.from_iterable([D.values()])).append(1)
    return len(D["a"])


def map_product_inner(t):
    next(itertools.product(D.values()))[0].append(1)
    return len(D["a"])


def map_tee_inner(t):
    a, b = itertools.tee(D.values())
    next(a).append(1)
    return len(D["a"])


def map_reduce_inner(t):
    functools.reduce(lambda a, b: a, D.values()).append(1)
    return len(D["a"])


def map_getattr_default(t):
    getattr(t, "nope", LOG).append(1)
    return len(LOG)


def map_next_default(t):
    next(iter(()), LOG).append(1)
    return len(LOG)


def map_dict_get_default(t):
    {}.get(1, LOG).append(1)
    return len(LOG)


def map_dict_setdefault_shared(t):
    {}.setdefault(1, LOG).append(1)
    return len(LOG)


def map_dict_pop_default(t):
    {}.pop(1, LOG).append(1)
    return len(LOG)


def map_fromkeys_value(t):
    dict.fromkeys("ab", LOG)["a"].append(1)
    return len(LOG)


def map_or_value(t):
    (None or LOG).append(1)
    return len(LOG)


def map_max_default(t):
    max((), default=LOG).append(1)
    return len(LOG)


def map_zip_longest_fill(t):
    list(itertools.zip_longest([1], [], fillvalue=LOG))[0][1].append(1)
    return len(LOG)


def map_repeat(t):
    next(itertools.repeat(LOG)).append(1)
    return len(LOG)


def map_cast(t):
    typing.cast(list, LOG).append(1)
    return len(LOG)


def map_chainmap(t):
    collections.ChainMap({}, D)["a"].append(1)
    return len(D["a"])


def map_mappingproxy(t):
    types.MappingProxyType(D)["a"].append(1)
    return len(D["a"])


MP = types.MappingProxyType(D)


def map_mappingproxy_shared(t):
    MP["a"].append(1)
    return len(MP["a"])


def map_mappingproxy_get(t):
    MP.get("a").append(1)
    return len(MP["a"])


def map_mappingproxy_copy(t):
    MP.copy()["a"].append(1)
    return len(MP["a"])


def map_mappingproxy_values(t):
    for v in MP.values():
        v.append(1)
    return len(MP["a"])


def map_mappingproxy_items(t):
    for _, v in MP.items():
        v.append(1)
    return len(MP["a"])


def map_namespace(t):
    NS.count += 1
    return NS.count


NS = types.SimpleNamespace(count=0, xs=[])


def map_namespace_replace(t):
    types.SimpleNamespace(**vars(NS)).xs.append(1)
    return len(NS.xs)


def map_view_shared(t):
    D.setdefault(t.word, [])
    return len(VK)


VK = D.keys()


def map_view_made(t):
    v = D.values()
    D[t.word] = 1
    return len(v)


def map_array(t):
    AR.append(t.n)
    return len(AR)


AR = array.array("i")


def map_array_item(t):
    AR2[0] += 1
    return AR2[0]


AR2 = array.array("i", [0])


def map_memoryview(t):
    MV[0] = (MV[0] + 1) % 200
    return MV[0]


MV = memoryview(bytearray(4))


def map_memoryview_slice(t):
    v = MV[1:]
    v[0] = (v[0] + 1) % 200
    return MV[1]


def map_memoryview_cast(t):
    v = MV.cast("B")
    v[2] = (v[2] + 1) % 200
    return MV[2]


def map_struct_pack_into(t):
    struct.pack_into("b", BA, 0, (BA[0] + 1) % 100)
    return BA[0]


BA = bytearray(4)
ST = struct.Struct("b")


def map_struct_obj_pack_into(t):
    ST.pack_into(BA, 1, (BA[1] + 1) % 100)
    return BA[1]


def map_bytesio(t):
    BIO.write(b"x")
    return BIO.tell()


BIO = io.BytesIO()


def map_bytesio_getbuffer(t):
    b = BIO2.getbuffer()
    b[0] = (b[0] + 1) % 200
    return b[0]


BIO2 = io.BytesIO(b"\0\0")


def map_sha(t):
    H.update(b"x")
    return H.hexdigest()


H = hashlib.sha256()


def map_zlib(t):
    ZC.compress(b"abc")
    return len(ZC.copy().flush())


ZC = zlib.compressobj()


def map_dec_ctx(t):
    CTX.prec = (CTX.prec % 20) + 1
    return CTX.prec


CTX = decimal.Context(prec=5)
CV = contextvars.ContextVar("cv", default=0)


def map_contextvar(t):
    CV.set(CV.get() + 1)
    return CV.get()


def map_weakvalue(t):
    WV[t.n] = OBJ
    return len(WV)


WV = weakref.WeakValueDictionary()
REF = weakref.ref(OBJ)


def map_weakref(t):
    REF().n += 1
    return OBJ.n


PROXY = weakref.proxy(OBJ)


def map_proxy(t):
    PROXY.n += 1
    return OBJ.n


def map_lambda_default(t):
    return (lambda x, acc=LOG: (acc.append(x), len(acc))[1])(t.n)


def map_inner_default(t):
    def f(x, acc=LOG):
        acc.append(x)
        return len(acc)
    return f(t.n)


def _dflt(x, *, acc=[]):
    acc.append(x)
    return len(acc)


def map_kw_default(t):
    return _dflt(t.n)


def _dflt2(x, acc={}, /):
    acc[x] = 1
    return len(acc)


def map_pos_default(t):
    return _dflt2(t.n)


def _attr(x):
    _attr.n += 1
    return _attr.n


_attr.n = 0


def map_func_attr(t):
    return _attr(t.n)


def map_func_defaults(t):
    _dflt.__kwdefaults__["acc"].append(1)
    return len(_dflt.__kwdefaults__["acc"])


def map_code_consts(t):
    return _attr.__code__.co_consts.__len__() + len(_attr.__dict__.setdefault("l", []).__iadd__([1]))


def map_exc_attr(t):
    ERR.n = getattr(ERR, "n", 0) + 1
    return ERR.n


ERR = ValueError("x", [])


def map_exc_args(t):
    ERR.args[1].append(1)
    return len(ERR.args[1])


def map_exc_args_assign(t):
    ERR.args = (*ERR.args, 1)
    return len(ERR.args)


def map_exc_note(t):
    ERR.add_note("x")
    return len(ERR.__notes__)


def map_exc_raise_chain(t):
    try:
        raise ERR
    except ValueError as e:
        e.args[1].append(1)
        return len(e.args[1])


def map_exc_traceback_len(t):
    try:
        raise ERR
    except ValueError as e:
        n, tb = 0, e.__traceback__
        while tb:
            n, tb = n + 1, tb.tb_next
        return n


class Err(Exception):
    seen = []
    def __init__(self, *a):
        self.seen.append(a)
        super().__init__(*a)


def map_exc_class_list(t):
    try:
        raise Err(t.n)
    except Err as e:
        return len(e.seen)


def map_exc_class_noparen(t):
    try:
        raise Err
    except Err as e:
        return len(e.seen)


def map_exc_group(t):
    try:
        raise ExceptionGroup("g", [ERR])
    except* ValueError as g:
        g.exceptions[0].args[1].append(1)
    return len(ERR.args[1])


def map_stopiteration_value(t):
    def g():
        return LOG
        yield
    try:
        next(g())
    except StopIteration as e:
        e.value.append(1)
    return len(LOG)


def map_keyerror_args(t):
    try:
        raise KeyError(LOG)
    except KeyError as e:
        e.args[0].append(1)
    return len(LOG)


def map_generator_return(t):
    def g():
        yield 1
        return LOG
    def h():
        r = yield from g()
        r.append(1)
    list(h())
    return len(LOG)


def map_generator_send(t):
    def g():
        x = yield
        x.append(1)
        yield
    it = g()
    next(it)
    it.send(LOG)
    return len(LOG)


def map_generator_throw(t):
    def g():
        try:
            yield
        except ValueError as e:
            e.args[0].append(1)
            yield
    it = g()
    next(it)
    it.throw(ValueError(LOG))
    return len(LOG)


def map_generator_close(t):
    def g():
        try:
            yield
        finally:
            LOG.append(1)
    it = g()
    next(it)
    it.close()
    return len(LOG)


def map_nested_comp_shared(t):
    [x.append(1) for row in [D.values()] for x in row]
    return len(D["a"])


def map_walrus_shared(t):
    (x := LOG).append(1)
    return len(x)


def map_star_shared(t):
    *a, = [LOG]
    a[0].append(1)
    return len(LOG)


def map_for_target(t):
    for LOG[0:] in [[*LOG, 1]]:
        pass
    return len(LOG)


def map_for_target_attr(t):
    for OBJ.n in [OBJ.n + 1]:
        pass
    return OBJ.n


def map_with_target(t):
    import contextlib
    with contextlib.nullcontext(OBJ.n + 1) as OBJ.n:
        pass
    return OBJ.n


def map_comp_target_subscript(t):
    [0 for N[0] in [N[0] + 1]]
    return N[0]


def map_comp_target_attr(t):
    [0 for OBJ.n in [OBJ.n + 1]]
    return OBJ.n


def map_del_slice(t):
    LOG.append(1)
    LOG.append(1)
    del LOG[:1]
    return len(LOG)


def map_aug_slice(t):
    LOG[0:0] += [1]
    return len(LOG)


def map_tuple_assign_shared(t):
    N[0], x = N[0] + 1, 2
    return N[0]


def map_starred_target(t):
    [*LOG[0:0]] = [1]
    return len(LOG)


def map_match_capture(t):
    match LOG:
        case [*rest]:
            rest.append(1)
        case x:
            pass
    match D:
        case {"a": x}:
            x.append(1)
    return len(D["a"])


def map_match_class_attr(t):
    match OBJ:
        case Obj(xs=xs):
            xs.append(1)
    return len(OBJ.xs)


def map_match_as(t):
    match LOG:
        case list() as x:
            x.append(1)
    return len(LOG)


def map_match_value_eq(t):
    match t.n:
        case NSD.deep:
            return 1
    return N[0]


NSD = types.SimpleNamespace(deep=Deep())


class Held:
    items = []
    n = 0

    @classmethod
    def bump(cls):
        cls.n += 1
        return cls.n


class HeldMeta(type):
    n = 0

    @property
    def shown(cls):
        HeldMeta.n += 1
        return HeldMeta.n


class HeldMade(metaclass=HeldMeta):
    pass


class HeldZone(datetime.tzinfo):
    n = 0

    def bump(self):
        HeldZone.n += 1
        return HeldZone.n


HELD_UNION, HELD_LIST, HELD_ZONE = Held | int, list[Held], HeldZone()


def map_union_of_class_set(t):
    (Held | int).__args__[0].n += 1
    return Held.n


def map_union_of_class_bump(t):
    return (Held | int).__args__[0].bump()


def map_generic_of_class_set(t):
    list[Held].__args__[0].n += 1
    return Held.n


def map_generic_of_class_bump(t):
    return dict[str, Held].__args__[1].bump()


def map_global_union_of_class(t):
    return HELD_UNION.__args__[0].bump()


def map_global_generic_of_class(t):
    return HELD_LIST.__args__[0].bump()


def map_union_of_metaclass(t):
    return (HeldMade | int).__args__[0].shown


def map_zone_of_time(t):
    return datetime.datetime(2024, 1, 1, tzinfo=HELD_ZONE).tzinfo.bump()


def map_none_or_other(t):
    found = None if t.n < 0 else datetime.datetime(2024, 1, 1, tzinfo=HELD_ZONE)
    return found.tzinfo.bump()
