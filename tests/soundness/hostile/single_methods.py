# ruff: noqa
"""Objects that count in one special method alone, each in a place where Python calls it."""

import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import itertools
import json
import math
import operator
import re
import statistics

LOG = []


def tick():
    LOG.append(1)
    return len(LOG)


class Divided:
    def __divmod__(self, other):
        return tick(), 0


class RDivided:
    def __rdivmod__(self, other):
        return tick(), 0


class AsBytes:
    def __bytes__(self):
        return bytes([tick()])


class WithHint:
    """Its iterator is made anew; the hint counts."""

    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        return iter(self.xs)

    def __length_hint__(self):
        tick()
        return 1


class WithLen:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        return iter(self.xs)

    def __len__(self):
        tick()
        return 1


class Hinted:
    """An iterator which counts when it is asked how long it is."""

    def __init__(self):
        self.left = 3

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return self.left

    def __length_hint__(self):
        tick()
        return 3


class Verdict:
    """What a comparison gives: its truth counts."""

    def __bool__(self):
        return tick() % 2 == 0


class Judged:
    """Comparisons give an object of which the truth counts."""

    def __init__(self, n=0):
        self.n = n

    def __lt__(self, other):
        return Verdict()

    __gt__ = __le__ = __ge__ = __lt__

    def __eq__(self, other):
        return Verdict()

    def __hash__(self):
        return 1


class Sized:
    """A length that is asked for its number."""

    def __index__(self):
        return tick() % 5


class OfSize:
    def __len__(self):
        return Sized()


class Exiting:
    def __enter__(self):
        return self

    def __exit__(self, *why):
        return Verdict()


class Contained:
    def __contains__(self, x):
        return Verdict()


class ThirdOfPow:
    def __pow__(self, other, modulus=None):
        if modulus is not None:
            modulus.append(1)
            return len(modulus)
        return 0


class Rounded:
    def __round__(self, digits=None):
        if digits is not None:
            digits.append(1)
            return len(digits)
        return 0


class SliceTaker:
    def __getitem__(self, part):
        part.start.append(1)
        return len(part.start)


class SliceSetter:
    def __setitem__(self, part, value):
        part.stop.append(1)


class ClassSays:
    """`isinstance` asks an object for its class."""

    @property
    def __class__(self):
        tick()
        return int if len(LOG) % 2 else str


class Positioned:
    def __index__(self):
        return tick() % 5 + 1


class AsFloat:
    def __float__(self):
        return float(tick())


class AsRatio:
    def as_integer_ratio(self):
        return tick(), 7


class Timely(datetime.tzinfo):
    def utcoffset(self, when):
        return datetime.timedelta(minutes=tick() % 60)

    def dst(self, when):
        return datetime.timedelta(0)

    def tzname(self, when):
        return str(tick())


class Days(float):
    def __mul__(self, other):
        return float(tick())

    __rmul__ = __mul__

    def __float__(self):
        return float(tick())

    def as_integer_ratio(self):
        return (tick(), 1)


class Whole(int):
    def __mul__(self, other):
        return tick()

    __rmul__ = __mul__

    def __index__(self):
        return tick() % 7


class Truthy:
    def __len__(self):
        return tick() % 2


class Reduced:
    def __init__(self):
        self.x = 1

    def __getstate__(self):
        tick()
        return {"x": len(LOG)}


class Inside:
    def __str__(self):
        return str(tick())

    def __repr__(self):
        return str(tick())


class Holder:
    """It is shown plainly, what lies in it is not."""

    def __init__(self):
        self.inner = Inside()
        self.deeper = Plainly()

    def __str__(self):
        return "holder"

    __repr__ = __str__


class Plainly:
    def __init__(self):
        self.inner = Inside()

    def __repr__(self):
        return "plain"


D, RD, B, HOLDER = Divided(), RDivided(), AsBytes(), Holder()
HINT, LENGTH, JUDGED, OFSIZE = WithHint([1, 2]), WithLen([1, 2]), Judged(), OfSize()
POWER, ROUNDED, TAKER, SETTER = ThirdOfPow(), Rounded(), SliceTaker(), SliceSetter()
SAYS, POSITION, FLOATING, RATIO = ClassSays(), Positioned(), AsFloat(), AsRatio()
ZONE, DAYS, WHOLE, REDUCED = Timely(), Days(2), Whole(2), Reduced()


def map_divmod_alone(t):
    return divmod(D, 3)[0]


def map_rdivmod_alone(t):
    return divmod(t.n, RD)[0]


def map_bytes_alone(t):
    return bytes(B)


def map_int_from_bytes_of_object(t):
    return int.from_bytes(B, "big")


def map_length_hint_by_list(t):
    list(HINT)
    return len(LOG)


def map_len_by_list(t):
    return (list(LENGTH), len(LOG))


def map_len_by_tuple(t):
    return (tuple(LENGTH), len(LOG))


def map_len_by_extend(t):
    xs = []
    xs.extend(LENGTH)
    return (xs, len(LOG))


def map_len_by_star(t):
    return ([*LENGTH], len(LOG))


def map_len_by_sorted(t):
    return (sorted(LENGTH), len(LOG))


def map_len_by_local(t):
    return (list(WithLen(t.xs)), len(LOG))


def map_hint_by_local_iterator(t):
    return (list(Hinted()), len(LOG))


def map_len_by_iadd(t):
    xs = [t.n]
    xs += LENGTH
    return (xs, len(LOG))


def map_chained_verdict(t):
    return 1 if JUDGED < 3 < t.n + 100 else 2


def map_chained_verdict_value(t):
    x = JUDGED < 3 < t.n + 100
    return str(type(x) is bool)


def map_sorted_verdict(t):
    return [x.n for x in sorted([Judged(1), Judged(2), Judged(3)])]


def map_min_verdict(t):
    return min(Judged(1), Judged(2)).n


def map_in_verdict(t):
    return 5 in [Judged(1)]


def map_list_index_verdict(t):
    return [Judged(1)].count(5)


def map_dict_key_verdict(t):
    d = {Judged(1): 1}
    return d.get(Judged(2), 0)


def map_match_verdict(t):
    match t.n:
        case _ if t.n in (Judged(3),):
            return 1
    return 0


def map_tuple_eq_verdict(t):
    return (Judged(1), 2) == (Judged(2), 2)


def map_list_lt_verdict(t):
    return [Judged(1)] < [Judged(2)]


def map_list_sort_verdict(t):
    xs = [3, 1, 2]
    xs.sort(key=Judged)
    return xs


def map_len_of_size(t):
    return len(OFSIZE)


def map_truth_of_size(t):
    return 1 if OfSize() else 0


def map_exit_verdict(t):
    try:
        with Exiting():
            raise ValueError(1)
    except ValueError:
        return 1
    return 0


def map_contains_verdict(t):
    return t.n in Contained()


def map_pow_three(t):
    return pow(POWER, 2, LOG)


def map_round_second(t):
    return round(ROUNDED, LOG)


def map_slice_start(t):
    return TAKER[LOG:]


def map_slice_start_local(t):
    return SliceTaker()[LOG:t.n]


def map_slice_stop(t):
    SliceSetter()[1:LOG] = 3
    return len(LOG)


def map_slice_object(t):
    s = slice(LOG, t.n)
    s.start.append(1)
    return len(s.start)


def map_isinstance_class_property(t):
    return isinstance(SAYS, int)


def map_class_property(t):
    return SAYS.__class__.__name__


def map_match_class_property(t):
    match SAYS:
        case int():
            return 1
    return 2


def map_datetime_index(t):
    return datetime.datetime(2020, POSITION, 1).month


def map_date_index(t):
    return datetime.date(2020, 1, POSITION).day


def map_replace_index(t):
    return datetime.date(2020, 1, 1).replace(day=POSITION).day


def map_timedelta_times_float_class(t):
    return (datetime.timedelta(days=1) * DAYS).total_seconds()


def map_timedelta_of_int_class(t):
    return datetime.timedelta(days=WHOLE).total_seconds()


def map_astimezone_of_own_zone(t):
    when = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    return when.astimezone(ZONE).isoformat()


def map_replace_zone(t):
    return datetime.datetime(2020, 1, 1).replace(tzinfo=ZONE).isoformat()


def map_datetime_with_zone(t):
    return datetime.datetime(2020, 1, 1, tzinfo=ZONE).isoformat()


def map_time_with_zone(t):
    return datetime.time(1, tzinfo=ZONE).isoformat()


def map_fromtimestamp_with_zone(t):
    return datetime.datetime.fromtimestamp(1000 + t.n, ZONE).isoformat()


def map_fromtimestamp_of_float(t):
    return datetime.datetime.fromtimestamp(1000, tz=ZONE).minute


def map_combine_zone(t):
    return datetime.datetime.combine(datetime.date(2020, 1, 1), datetime.time(1), ZONE).isoformat()


def map_strftime_of_zone(t):
    return datetime.datetime(2020, 1, 1, tzinfo=ZONE).strftime("%z")


def map_timezone_of_zone(t):
    return ZONE.utcoffset(None).total_seconds()


def map_fraction_of_ratio(t):
    return str(fractions.Fraction(DAYS))


def map_math_sqrt_of_float(t):
    return math.sqrt(FLOATING)


def map_math_fsum_of_float(t):
    return math.fsum([FLOATING, 1.0])


def map_math_gcd(t):
    return math.gcd(POSITION, 60)


def map_math_comb(t):
    return math.comb(9, POSITION)


def map_statistics_mean_of_class(t):
    return statistics.fmean([FLOATING, 2.0])


def map_hex_of_position(t):
    return hex(POSITION)


def map_text_times_position(t):
    return "a" * POSITION


def map_list_times_position(t):
    return [0] * POSITION


def map_ljust_position(t):
    return t.word.ljust(POSITION) + "|"


def map_to_bytes_position(t):
    return (3).to_bytes(POSITION + 0 if False else POSITION, "big")


def map_islice_position(t):
    return list(itertools.islice("abcdefgh", POSITION))


def map_repeat_position(t):
    return list(itertools.repeat(1, POSITION))


def map_range_position(t):
    return len(range(POSITION))


def map_slice_position(t):
    return "abcdefgh"[:POSITION]


def map_int_base(t):
    return int("111", Positioned2())


class Positioned2:
    def __index__(self):
        return tick() % 5 + 2


def map_round_digits_position(t):
    return round(1.23456789, POSITION)


def map_bytes_of_position(t):
    return bytes(POSITION)


def map_sum_start(t):
    return sum([1, 2], Radd())


class Radd:
    def __add__(self, other):
        return tick()


class OnlyRadd:
    def __radd__(self, other):
        return tick()


def map_sum_of_radd(t):
    return sum([OnlyRadd()])


def map_accumulate_radd(t):
    return list(itertools.accumulate([1, OnlyRadd()]))[-1]


def map_reduce_operator_radd(t):
    return functools.reduce(operator.add, [1, OnlyRadd()])


def map_format_nested_spec(t):
    return f"{t.n:{Spec()}}"


class Spec:
    def __format__(self, spec):
        return str(tick() % 9 + 1)


def map_format_conversion(t):
    return f"{Inside()!r:>10}"


def map_format_debug(t):
    return f"{Inside()=}"


def map_str_format_deep(t):
    return "{0.inner}".format(HOLDER)


def map_str_format_deeper(t):
    return "{h.deeper.inner}".format(h=HOLDER)


def map_format_map_deep(t):
    return "{h.inner}".format_map({"h": HOLDER})


def map_str_format_item(t):
    return "{0[a].inner}".format({"a": HOLDER})


def map_percent_mapping_value(t):
    return "%(a)s" % {"a": Inside()}


def map_percent_r_local(t):
    return "%r and %s" % (1, [Inside()])


def map_exception_str(t):
    return str(ValueError(Inside()))


def map_exception_repr_nested(t):
    return repr(ValueError([Inside()]))


def map_assert_message(t):
    try:
        assert t.n < 0, Inside()
    except AssertionError as e:
        return str(e)


def map_truth_by_len(t):
    return 1 if Truthy() else 2


def map_any_truth(t):
    return any([Truthy()])


def map_bool_or(t):
    return 1 if (Truthy() or 0) else 0


def map_ternary_truth(t):
    return "a" if not Truthy() else "b"


def map_guard_truth(t):
    match t.n:
        case _ if Truthy():
            return 1
    return 2


def map_comprehension_truth(t):
    return [1 for _ in range(3) if Truthy()]


def map_getstate_by_copy(t):
    import copy
    return copy.copy(REDUCED).x


def map_getstate_by_deepcopy(t):
    import copy
    return copy.deepcopy(REDUCED).x


def map_isclose_of_float(t):
    return math.isclose(FLOATING, 3.0)


class Getter:
    def __getitem__(self, n):
        if n > 2:
            raise IndexError
        return tick()


def map_old_iteration(t):
    return [x for x in Getter()]


def map_old_iteration_in(t):
    return 7 in Getter()


def map_old_iteration_unpack(t):
    a, b, c = Getter()
    return a


def map_old_iteration_reversed(t):
    return list(reversed(Sequence_()))[0]


class Sequence_:
    def __len__(self):
        return 2

    def __getitem__(self, n):
        return tick()


class CountingLen:
    def __len__(self):
        tick()
        return 2

    def __getitem__(self, n):
        return 1


def map_reversed_len(t):
    return (list(reversed(CountingLen())), len(LOG))


class Keyed(dict):
    def __getitem__(self, k):
        return tick()


def map_star_star_mapping(t):
    return dict(**Mapped())["a"]


class Mapped:
    def keys(self):
        return ["a"]

    def __getitem__(self, k):
        return tick()


def map_dict_of_mapping(t):
    return dict(Mapped())["a"]


def map_dict_merge_mapping(t):
    d = {}
    d.update(Mapped())
    return d["a"]


def map_dict_display_mapping(t):
    return {**Mapped()}["a"]


def map_dict_or(t):
    d = {"a": 1}
    d |= Mapped()
    return d["a"]


def takes(a):
    return a


def map_call_star_star(t):
    return takes(**Mapped())


class Ror:
    def __ror__(self, other):
        return tick()


def map_dict_ror(t):
    return {1: 2} | Ror()


def map_set_rand(t):
    return {1} & Rand()


class Rand:
    def __rand__(self, other):
        return tick()


class Rmod:
    def __rmod__(self, other):
        return tick()


def map_int_rmod(t):
    return t.n % Rmod()


class Rmul:
    def __rmul__(self, other):
        return tick()


def map_list_rmul(t):
    return [1] * Rmul()


def map_text_rmul(t):
    return t.word * Rmul()


class Rpow:
    def __rpow__(self, other):
        return tick()


def map_rpow(t):
    return 2 ** Rpow()


class TextR(str):
    def __rmod__(self, other):
        return tick()

    def __radd__(self, other):
        return str(tick())


def map_text_subclass_radd(t):
    return t.word + TextR("a")


class EqR:
    def __eq__(self, other):
        return tick() % 2 == 0

    __hash__ = None


def map_reflected_eq(t):
    return t.n == EqR()


def map_reflected_ne(t):
    return t.n != EqR()


def map_reflected_in(t):
    return t.n in [EqR()]


def map_reflected_tuple(t):
    return (t.n, 1) == (EqR(), 1)


def map_match_literal_eq(t):
    match EqR():
        case 1:
            return 1
    return 2


def map_match_constant_eq(t):
    match t.n:
        case HAS.value:
            return 1
    return 2


class HAS:
    value = EqR()


class Gt:
    def __gt__(self, other):
        return tick() % 2 == 0


def map_reflected_lt(t):
    return 3 < Gt()


def map_sorted_reflected(t):
    return [type(x).__name__ for x in sorted([Gt(), 3, 5])]
