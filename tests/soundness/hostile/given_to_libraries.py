# ruff: noqa
"""Functions in other clothes, which a library calls."""

import bisect
import collections
import contextlib
import csv
import functools
import heapq
import io
import itertools
import json
import operator
import re
import statistics
import string
import textwrap
import types
import numpy as np
N = [0]
LOG = []


def _tick(*a, **k):
    N[0] += 1
    return str(N[0])


def _tickn(*a, **k):
    N[0] += 1
    return N[0]


P = functools.partial(_tick)
PN = functools.partial(_tickn)
C = functools.lru_cache(maxsize=0)(_tick)
CN = functools.lru_cache(maxsize=0)(_tickn)


def map_re_sub_partial(t):
    return re.sub("a", P, t.word)


def map_re_sub_partial_made(t):
    return re.sub("a", functools.partial(_tick), t.word)


def map_re_sub_cached(t):
    return re.sub("a", C, t.word)


PAT = re.compile("a")


def map_pattern_sub_partial(t):
    return PAT.sub(P, t.word)


def map_pattern_sub_cached(t):
    return PAT.sub(C, t.word)


def map_pattern_subn_bound(t):
    return PAT.subn(LOG.append and P, t.word)[0]


class Obj:
    def __call__(self, m):
        N[0] += 1
        return str(N[0])
    def meth(self, m):
        N[0] += 1
        return str(N[0])
    def __str__(self):
        N[0] += 1
        return str(N[0])
    __repr__ = __str__
    @staticmethod
    def stat(m):
        N[0] += 1
        return str(N[0])
    @classmethod
    def cls(c, m):
        N[0] += 1
        return str(N[0])


OBJ = Obj()


def map_pat_sub_object(t):
    return PAT.sub(OBJ, t.word)


def map_pat_sub_made(t):
    return PAT.sub(Obj(), t.word)


def map_re_sub_object(t):
    return re.sub("a", OBJ, t.word)


def map_re_sub_method(t):
    return re.sub("a", OBJ.meth, t.word)


def map_re_sub_made_object(t):
    return re.sub("a", Obj(), t.word)


def map_re_sub_static(t):
    return re.sub("a", Obj.stat, t.word)


def map_re_sub_classmethod(t):
    return re.sub("a", Obj.cls, t.word)


def map_json_default_partial(t):
    return json.dumps({"a": {1}}, default=P)


def map_json_hook_partial(t):
    return json.loads('{"a": 1}', object_hook=PN)


def map_json_hook_cached(t):
    return json.loads('{"a": 1}', object_hook=CN)


def map_json_parse_float(t):
    return json.loads('[1.5]', parse_float=PN)[0]


def map_json_parse_int(t):
    return json.loads('[1]', parse_int=CN)[0]


def map_json_pairs_hook(t):
    return json.loads('{"a": 1}', object_pairs_hook=PN)


class Enc(json.JSONEncoder):
    def default(self, o):
        N[0] += 1
        return N[0]


def map_json_cls(t):
    return json.dumps({1, 2}, cls=Enc)


ENC = json.JSONEncoder(default=P)


def map_json_encoder_object(t):
    return ENC.encode([{1}])




def map_wraps_inner(t):
    @functools.wraps(_tick)
    def inner(x):
        N[0] += 1
        return N[0]
    return inner(t.n)


def map_update_wrapper(t):
    def inner(x):
        N[0] += 1
        return N[0]
    f = functools.update_wrapper(inner, _tick)
    return f(t.n)


def map_wraps_lambda(t):
    f = functools.wraps(_tick)(lambda x: (N.append(x), len(N))[1])
    return f(t.n)


def map_lru_inner(t):
    @functools.lru_cache
    def inner(x):
        N[0] += 1
        return N[0]
    return inner(t.n)


def map_lru_inner_sized(t):
    @functools.lru_cache(maxsize=10)
    def inner(x):
        N[0] += 1
        return N[0]
    return inner(t.n)


VEC = np.vectorize(_tickn)


def map_vectorize(t):
    return int(VEC(t.n))


UF = np.frompyfunc(_tickn, 1, 1)


def map_frompyfunc(t):
    return UF(t.n)


UF2 = np.frompyfunc(lambda a, b: _tickn(), 2, 1)


def map_frompyfunc2(t):
    return UF2(t.n, 1)


def map_frompyfunc_reduce(t):
    return UF2.reduce([1, 2, 3])


PV = functools.partial(VEC)


def map_partial_vectorize(t):
    return int(PV(t.n))


class Tee:
    def write(self, s):
        N[0] += 1
        return N[0]


TEE = Tee()


def map_csv_writer_tee(t):
    return csv.writer(Tee()).writerow([t.n])


def map_csv_writer_shared_tee(t):
    return csv.writer(TEE).writerow([t.n])


W = csv.writer(TEE)


def map_csv_global_writer(t):
    return W.writerow([t.n])


BUF = io.StringIO()
WB = csv.writer(BUF)


def map_csv_global_writer_buffer(t):
    WB.writerow([t.n])
    return len(BUF.getvalue())


def map_print_file(t):
    BUF.write("x")
    return BUF.tell()


class Lines:
    def __iter__(self):
        return self
    def __next__(self):
        N[0] += 1
        if N[0] % 3 == 0:
            raise StopIteration
        return f"{N[0]},2"


def map_csv_reader_lines(t):
    return str(list(csv.reader(Lines())))


def map_csv_dictreader_lines(t):
    return str([dict(r) for r in csv.DictReader(Lines(), fieldnames=["a", "b"])])


def map_filter_partial(t):
    return len(list(filter(PN, t.xs))) + int(N[0])


def map_map_cached(t):
    return str(list(map(CN, t.xs)))


def map_sort_key_method(t):
    ys = list(t.xs)
    ys.sort(key=OBJ.meth)
    return N[0]


def map_reduce_partial(t):
    return functools.reduce(lambda a, b: PN(), t.xs)


def map_reduce_shared(t):
    functools.reduce(lambda acc, x: (acc.append(x), acc)[1], t.xs, LOG)
    return len(LOG)


def map_reduce_ior(t):
    return len(functools.reduce(operator.iconcat, [t.xs], LOG))


def map_reduce_setitem(t):
    functools.reduce(lambda d, x: d.update({x: 1}) or d, t.xs, DIC)
    return len(DIC)


DIC = {}
PUSH = functools.partial(heapq.heappush, LOG)


def map_partial_push(t):
    PUSH(t.n)
    return len(LOG)


INS = functools.partial(bisect.insort, LOG)


def map_partial_insort(t):
    INS(t.n)
    return len(LOG)


SETI = functools.partial(operator.setitem, DIC)


def map_partial_setitem(t):
    SETI(t.n, 1)
    return len(DIC)


PP = functools.partial(functools.partial(operator.setitem, DIC), "k")


def map_partial_partial(t):
    PP(DIC.get("k", 0) + 1)
    return DIC["k"]


APP = LOG.append


def map_bound_alias(t):
    APP(t.n)
    return len(LOG)


ADD = functools.partial(list.append, LOG)


def map_partial_listappend(t):
    ADD(t.n)
    return len(LOG)


EXT = operator.methodcaller("extend", [1])


def map_methodcaller_extend(t):
    EXT(LOG)
    return len(LOG)


POP = operator.methodcaller("setdefault", "k", [])


def map_methodcaller_setdefault(t):
    POP(DIC).append(1)
    return len(DIC["k"])


IG = operator.itemgetter(0)
LL = [[]]


def map_itemgetter_shared(t):
    IG(LL).append(1)
    return len(LL[0])


def map_attrgetter_class(t):
    return operator.attrgetter("count")(Counting())


class Counting:
    @property
    def count(self):
        N[0] += 1
        return N[0]


def map_methodcaller_meth(t):
    return operator.methodcaller("meth", 1)(OBJ)


class Fmt(string.Formatter):
    def format_field(self, v, spec):
        N[0] += 1
        return str(N[0])


FM = Fmt()


def map_formatter(t):
    return FM.format("{}", t.n)


def map_formatter_made(t):
    return Fmt().format("{}", t.n)


class Map(dict):
    def __missing__(self, k):
        N[0] += 1
        return str(N[0])


TM = string.Template("$a $b")


def map_template_missing(t):
    return TM.substitute(Map())


def map_template_safe(t):
    return TM.safe_substitute(Map(a=1))


def map_format_map(t):
    return "{a}".format_map(Map())


def map_percent_map(t):
    return "%(a)s" % Map()


def map_translate(t):
    class_ = Map()
    return t.word.translate(class_)


TR = Map()


def map_translate_shared(t):
    return t.word.translate(TR)


class TW(textwrap.TextWrapper):
    def _split(self, text):
        N[0] += 1
        return [str(N[0])]


def map_textwrapper(t):
    return TW().fill("a b c")


def map_exitstack(t):
    with contextlib.ExitStack() as s:
        s.callback(_tick)
    return N[0]


@contextlib.contextmanager
def _cm():
    N[0] += 1
    yield N[0]


def map_contextmanager(t):
    with _cm() as n:
        return n


class CD(contextlib.ContextDecorator):
    def __enter__(self):
        N[0] += 1
    def __exit__(self, *a):
        return False


@CD()
def _decorated(x):
    return N[0]


def map_context_decorator(t):
    return _decorated(t.n)


CLOSE = contextlib.closing(types.SimpleNamespace(close=_tick))


def map_closing(t):
    with CLOSE:
        pass
    return N[0]


def map_closing_made(t):
    with contextlib.closing(Clo()):
        pass
    return N[0]


class Clo:
    def close(self):
        N[0] += 1


def map_suppress(t):
    with contextlib.suppress(*Exc()):
        pass
    return N[0]


class Exc:
    def __iter__(self):
        N[0] += 1
        return iter((ValueError,))


def map_statistics_key(t):
    return statistics.mean(It2())


class It2:
    def __iter__(self):
        N[0] += 1
        return iter([N[0]])


def map_fmean_iter(t):
    return statistics.fmean(It2())


def map_itertools_func(t):
    return list(itertools.accumulate(t.xs, lambda a, b: PN()))[-1]


def map_starmap(t):
    return list(itertools.starmap(PN, [(1, 2)]))[0]


def map_groupby_key(t):
    return str([k for k, _ in itertools.groupby(t.xs, key=lambda x: PN())])


def map_iter_sentinel(t):
    return str(list(itertools.islice(iter(PN, -1), 2)))


def map_bisect_key(t):
    return bisect.bisect([1, 2, 3], 2, key=lambda x: PN())


def map_dict_key_default(t):
    return collections.defaultdict(PN)[1]


DD = collections.defaultdict(PN)


def map_shared_defaultdict(t):
    return DD[t.n % 3]


def map_defaultdict_cached(t):
    return collections.defaultdict(CN)["a"]


def map_partial_attr(t):
    P.count = getattr(P, "count", 0) + 1
    return P.count


def map_method_func_attr(t):
    OBJ.meth.__func__.n = getattr(OBJ.meth.__func__, "n", 0) + 1
    return OBJ.meth.n


SD = functools.singledispatch(_tickn)


def map_singledispatch(t):
    return SD(t.n)


class SDM:
    @functools.singledispatchmethod
    def m(self, x):
        N[0] += 1
        return N[0]


SDO = SDM()


def map_singledispatchmethod(t):
    return SDO.m(t.n)


class PM:
    def go(self, x):
        N[0] += 1
        return N[0]
    half = functools.partialmethod(go, 5)


PMO = PM()


def map_partialmethod(t):
    return PMO.half()


class CP:
    @functools.cached_property
    def v(self):
        N[0] += 1
        return N[0]


def map_cached_property(t):
    return CP().v


class TotalOrd:
    def __eq__(self, o):
        return True
    def __lt__(self, o):
        N[0] += 1
        return N[0] % 2 == 0


functools.total_ordering(TotalOrd)


def map_total_ordering(t):
    return TotalOrd() >= TotalOrd()


SUMS = np.zeros(3)
NUMBERED = np.frompyfunc(lambda a, b: _tickn(), 2, 1)


def map_ufunc_at(t):
    np.add.at(SUMS, [0], 1)
    return float(SUMS[0])


def map_ufunc_reduce_into(t):
    np.add.reduce([SUMS, SUMS + 1], 0, None, SUMS)
    return float(SUMS[0])


def map_ufunc_reduce_out(t):
    np.add.reduce([SUMS, SUMS + 1], axis=0, out=SUMS)
    return float(SUMS[0])


def map_ufunc_accumulate_out(t):
    np.add.accumulate(SUMS + 1, out=SUMS)
    return float(SUMS[0])


def map_ufunc_of_function_reduce(t):
    return NUMBERED.reduce([1, 2, 3])


def map_ufunc_of_function_outer(t):
    return int(NUMBERED.outer([1], [2])[0][0])
