# ruff: noqa
"""Operators with state for each key whose state is shared, given away, or does more than hold."""

import collections
import dataclasses
import itertools

import anabranch as ab
from soundness.items import Item, items_with_one_list

SHARING = items_with_one_list()

LOG = []


class Total(ab.State):
    n: int = 0
    xs: list[int] = []
    by_word: dict[str, int] = {}


class WithClassList(ab.State):
    n: int = 0
    shared = []
    counts = {}
    number = 0

    def note(self, x):
        self.shared.append(x)
        return len(self.shared)

    @property
    def size(self):
        self.shared.append(0)
        return len(self.shared)

    @classmethod
    def bump(cls):
        cls.number += 1
        return cls.number

    @staticmethod
    def put(x):
        WithClassList.counts[x] = WithClassList.counts.get(x, 0) + 1
        return WithClassList.counts[x]


@ab.operator(by="key")
def apply_class_list(s: WithClassList, t: Item):
    s.shared.append(t.n)
    yield len(s.shared)


@ab.operator(by="key")
def apply_class_dict(s: WithClassList, t: Item):
    s.counts[t.word] = s.counts.get(t.word, 0) + 1
    yield s.counts[t.word]


@ab.operator(by="key")
def apply_class_list_by_type(s: WithClassList, t: Item):
    type(s).shared.append(t.n)
    yield len(s.shared)


@ab.operator(by="key")
def apply_class_number_by_type(s: WithClassList, t: Item):
    type(s).number += 1
    yield s.number


@ab.operator(by="key")
def apply_class_number_by_dunder(s: WithClassList, t: Item):
    s.__class__.number += 1
    yield s.number


@ab.operator(by="key")
def apply_class_number_by_name(s: WithClassList, t: Item):
    WithClassList.number += 1
    yield s.number


@ab.operator(by="key")
def apply_method_of_class_list(s: WithClassList, t: Item):
    yield s.note(t.n)


@ab.operator(by="key")
def apply_property_of_class_list(s: WithClassList, t: Item):
    yield s.size


@ab.operator(by="key")
def apply_class_method(s: WithClassList, t: Item):
    yield s.bump()


@ab.operator(by="key")
def apply_static_method(s: WithClassList, t: Item):
    yield s.put(t.word)


@ab.operator(by="key")
def apply_alias_of_class_list(s: WithClassList, t: Item):
    xs = s.shared
    xs.append(t.n)
    yield len(xs)


class ListInTuple(ab.State):
    pair: tuple = (0, [])


@ab.operator(by="key")
def apply_list_in_tuple(s: ListInTuple, t: Item):
    s.pair[1].append(t.n)
    yield len(s.pair[1])


@ab.operator(by="key")
def apply_list_in_tuple_unpacked(s: ListInTuple, t: Item):
    _, xs = s.pair
    xs.append(t.n)
    yield len(xs)


class DictInTuple(ab.State):
    parts: tuple = ({}, {})


@ab.operator(by="key")
def apply_dict_in_tuple(s: DictInTuple, t: Item):
    s.parts[0][t.n] = 1
    yield len(s.parts[0])


@dataclasses.dataclass(eq=False)
class Account:
    n: int = 0
    xs: list = dataclasses.field(default_factory=list)


class WithObject(ab.State):
    """An object that is hashed by identity is not copied for each key."""

    account: object = Account()


@ab.operator(by="key")
def apply_shared_object(s: WithObject, t: Item):
    s.account.n += 1
    yield s.account.n


@ab.operator(by="key")
def apply_shared_object_list(s: WithObject, t: Item):
    s.account.xs.append(t.n)
    yield len(s.account.xs)


class WithIterator(ab.State):
    ids: object = itertools.count()


@ab.operator(by="key")
def apply_shared_iterator(s: WithIterator, t: Item):
    yield next(s.ids)


@ab.operator(by="key")
def apply_shared_iterator_by_zip(s: WithIterator, t: Item):
    yield list(zip(t.xs, s.ids))


class WithGenerator(ab.State):
    numbers: object = (n * n for n in range(100_000))


@ab.operator(by="key")
def apply_shared_generator(s: WithGenerator, t: Item):
    for n in s.numbers:
        yield n
        break


class WithFunction(ab.State):
    call: object = LOG.append


@ab.operator(by="key")
def apply_function_in_field(s: WithFunction, t: Item):
    s.call(t.n)
    yield len(LOG)


class WithClass(ab.State):
    kind: object = Account


@ab.operator(by="key")
def apply_class_in_field(s: WithClass, t: Item):
    s.kind.total = getattr(s.kind, "total", 0) + 1
    yield s.kind.total


def make_account():
    return Account()


class WithDefaultDict(ab.State):
    counts: object = collections.defaultdict(lambda: LOG)


@ab.operator(by="key")
def apply_factory_of_shared_list(s: WithDefaultDict, t: Item):
    s.counts[t.word].append(t.n)
    yield len(s.counts[t.word])


IDS = itertools.count()


class WithCountingFactory(ab.State):
    numbers: object = collections.defaultdict(lambda: next(IDS))


@ab.operator(by="key")
def apply_counting_factory(s: WithCountingFactory, t: Item):
    yield s.numbers[t.word]


class Copied:
    """Copying it counts: each key begins with another number."""

    __hash__ = None

    def __init__(self):
        self.n = 0

    def __deepcopy__(self, memo):
        LOG.append(1)
        made = Copied()
        made.n = len(LOG) * 100
        return made


class WithCopied(ab.State):
    it: object = Copied()


@ab.operator(by="key")
def apply_deepcopy_counts(s: WithCopied, t: Item):
    s.it.n += 1
    yield s.it.n


class Uncopied(dict):
    __hash__ = object.__hash__


class WithUncopied(ab.State):
    d: object = Uncopied()


@ab.operator(by="key")
def apply_hashable_dict(s: WithUncopied, t: Item):
    s.d[t.n] = 1
    yield len(s.d)


class Same(list):
    __hash__ = None

    def __deepcopy__(self, memo):
        return self


class WithSame(ab.State):
    xs: object = Same()


@ab.operator(by="key")
def apply_list_that_copies_to_itself(s: WithSame, t: Item):
    s.xs.append(t.n)
    yield len(s.xs)


class Watched(ab.State):
    n: int = 0

    def __setattr__(self, name, value):
        LOG.append(name)
        object.__setattr__(self, name, value)


@ab.operator(by="key")
def apply_setattr_counts(s: Watched, t: Item):
    s.n += 1
    yield len(LOG)


class Counting(ab.State):
    n: int = 0

    def __setattr__(self, name, value):
        LOG.append(name)
        object.__setattr__(self, name, len(LOG))


@ab.operator(by="key")
def apply_setattr_replaces(s: Counting, t: Item):
    s.n = t.n
    yield s.n


class WithGetattr(ab.State):
    n: int = 0

    def __getattr__(self, name):
        LOG.append(name)
        return len(LOG)


@ab.operator(by="key")
def apply_getattr_counts(s: WithGetattr, t: Item):
    s.n += 1
    yield s.missing


class WithGetattribute(ab.State):
    n: int = 0

    def __getattribute__(self, name):
        LOG.append(name)
        return object.__getattribute__(self, name)


@ab.operator(by="key")
def apply_getattribute_counts(s: WithGetattribute, t: Item):
    s.n += 1
    yield len(LOG)


class WithProperty(ab.State):
    n: int = 0

    @property
    def total(self):
        LOG.append(1)
        return len(LOG)

    @total.setter
    def total(self, value):
        LOG.append(value)


@ab.operator(by="key")
def apply_property_counts(s: WithProperty, t: Item):
    s.n += 1
    yield s.total


@ab.operator(by="key")
def apply_setter_counts(s: WithProperty, t: Item):
    s.total = t.n
    yield len(LOG)


@ab.operator(by="key")
def apply_augmented_property(s: WithProperty, t: Item):
    s.total += 1
    yield s.n + len(LOG)


class WithInit(ab.State):
    n: int = 0

    def __init__(self, *given, **values):
        super().__init__(*given, **values)
        LOG.append(1)
        self.n = len(LOG) * 1000


@ab.operator(by="key")
def apply_init_counts(s: WithInit, t: Item):
    s.n += 1
    yield s.n


class WithNew(ab.State):
    n: int = 0

    def __new__(cls, *given):
        if not LOG:
            LOG.append(object.__new__(cls))
        return LOG[0]


@ab.operator(by="key")
def apply_one_instance_for_all(s: WithNew, t: Item):
    s.n += 1
    yield s.n


class WithIadd(ab.State):
    n: int = 0

    def __iadd__(self, x):
        LOG.append(x)
        self.n = len(LOG)
        return self


@ab.operator(by="key")
def apply_iadd_of_state(s: WithIadd, t: Item):
    s += t.n
    yield s.n


class WithEq(ab.State):
    n: int = 0

    def __eq__(self, other):
        LOG.append(1)
        return len(LOG) % 3 == 0

    def __bool__(self):
        LOG.append(1)
        return len(LOG) % 3 == 0

    def __len__(self):
        LOG.append(1)
        return len(LOG)

    def __str__(self):
        LOG.append(1)
        return str(len(LOG))


@ab.operator(by="key")
def apply_eq_of_state(s: WithEq, t: Item):
    yield s == s


@ab.operator(by="key")
def apply_bool_of_state(s: WithEq, t: Item):
    if s:
        yield t.n


@ab.operator(by="key")
def apply_len_of_state(s: WithEq, t: Item):
    yield len(s)


@ab.operator(by="key")
def apply_str_of_state(s: WithEq, t: Item):
    yield f"{s}"


@ab.operator(by="key")
def apply_global_list(s: Total, t: Item):
    LOG.append(t.n)
    s.n += 1
    yield len(LOG)


@ab.operator(by="key")
def apply_global_number(s: Total, t: Item):
    global number
    number += 1
    s.n += 1
    yield number


number = 0


@ab.operator(by="key")
def apply_state_kept_outside(s: Total, t: Item):
    states[t.key] = s
    s.n += 1
    yield sum(each.n for each in states.values())


states = {}


@ab.operator(by="key")
def apply_global_list_in_state(s: Total, t: Item):
    s.xs = LOG
    s.xs.append(t.n)
    yield len(s.xs)


@ab.operator(by="key")
def apply_global_dict_in_state(s: Total, t: Item):
    s.by_word = TABLE
    s.by_word[t.word] = t.n
    yield len(s.by_word)


TABLE = {}


@ab.operator(by="key")
def apply_gives_its_list(s: Total, t: Item):
    s.xs.append(t.n)
    yield s.xs


@ab.operator(by="key")
def apply_gives_its_dict(s: Total, t: Item):
    s.by_word[t.word] = t.n
    yield s.by_word


@ab.operator(by="key")
def apply_gives_its_list_in_tuple(s: Total, t: Item):
    s.xs.append(t.n)
    yield (t.key, s.xs)


@ab.operator(by="key")
def apply_gives_its_list_in_record(s: Total, t: Item):
    s.xs.append(t.n)
    yield t.replace(xs=s.xs)


@ab.operator(by="key")
def apply_gives_its_list_by_alias(s: Total, t: Item):
    xs = s.xs
    yield xs
    xs.append(t.n)


@ab.operator(by="key")
def apply_gives_its_list_once(s: Total, t: Item):
    if not s.xs:
        yield s.xs
    s.xs.append(t.n)


@ab.operator(by="key")
def apply_gives_keys_view(s: Total, t: Item):
    s.by_word[t.word] = t.n
    yield s.by_word.keys()


@ab.operator(by="key")
def apply_gives_values_view(s: Total, t: Item):
    s.by_word[t.word] = t.n
    yield s.by_word.values()


@ab.operator(by="key")
def apply_gives_items_view(s: Total, t: Item):
    s.by_word[t.word] = t.n
    yield s.by_word.items()


@ab.operator(by="key")
def apply_gives_list_by_or(s: Total, t: Item):
    s.xs.append(t.n)
    yield s.xs or []


@ab.operator(by="key")
def apply_gives_list_by_conditional(s: Total, t: Item):
    s.xs.append(t.n)
    yield s.xs if t.n % 2 else [0]


@ab.operator(by="key")
def apply_gives_list_by_helper(s: Total, t: Item):
    s.xs.append(t.n)
    yield same(s.xs)


def same(x):
    return x


class Nested(ab.State):
    lists: dict[str, list[int]] = {}
    rows: list[list[int]] = []
    queue: collections.deque = collections.deque()
    counter: collections.Counter = collections.Counter()
    last: object = None


@ab.operator(by="key")
def apply_gives_inner_list(s: Nested, t: Item):
    s.lists.setdefault(t.word, []).append(t.n)
    yield s.lists[t.word]


@ab.operator(by="key")
def apply_gives_copy_with_inner_lists(s: Nested, t: Item):
    s.lists.setdefault(t.word, []).append(t.n)
    yield dict(s.lists)


@ab.operator(by="key")
def apply_gives_sorted_inner_lists(s: Nested, t: Item):
    s.lists.setdefault(t.word, []).append(t.n)
    yield sorted(s.lists.items())


@ab.operator(by="key")
def apply_gives_slice_of_rows(s: Nested, t: Item):
    s.rows.append([])
    for row in s.rows:
        row.append(t.n)
    yield s.rows[-2:]


@ab.operator(by="key")
def apply_gives_deque(s: Nested, t: Item):
    s.queue.append(t.n)
    yield s.queue


@ab.operator(by="key")
def apply_gives_counter(s: Nested, t: Item):
    s.counter[t.word] += 1
    yield s.counter


@ab.operator(by="key")
def apply_gives_map_over_state(s: Nested, t: Item):
    s.lists.setdefault(t.word, []).append(t.n)
    yield [xs for xs in s.lists.values()]


@ab.operator(by="key")
def apply_gives_max_of_lists(s: Nested, t: Item):
    s.lists.setdefault(t.word, []).append(t.n)
    yield max(s.lists.values(), key=len)


@ab.operator(by="key")
def apply_gives_most_recent_list(s: Nested, t: Item):
    if s.last is None:
        s.last = []
    s.last.append(t.n)
    yield s.last


@ab.operator(by="key")
def apply_list_given_then_kept(s: Nested, t: Item):
    found = [t.n]
    yield found
    for row in s.rows:
        row.append(t.n)
    s.rows.append(found)


@ab.operator(by="key")
def apply_tuple_around_list(s: Nested, t: Item):
    s.last = (s.last[0] if s.last else [], t.n)
    s.last[0].append(t.n)
    yield s.last


@ab.operator(by="key")
def apply_iterator_over_state(s: Total, t: Item):
    s.xs.append(t.n)
    yield dict.fromkeys(["xs"], s.xs)


@ab.operator(by="key")
def apply_keeps_item_and_changes_it(s: Nested, t: Item):
    s.last = t
    s.last.xs.append(t.n)
    yield len(s.last.xs)


@ab.operator(by="key")
def apply_keeps_list_of_item(s: Nested, t: Item):
    s.last = t.xs
    s.last.append(t.n)
    yield len(s.last)


@ab.operator(by="key")
def apply_list_of_item_in_dict(s: Nested, t: Item):
    s.lists["all"] = t.xs
    s.lists["all"].append(1)
    yield len(s.lists["all"])


@ab.operator(by="key")
def apply_extends_list_of_item(s: Nested, t: Item):
    t.xs.append(t.key)
    yield len(t.xs)


@ab.operator(by="key")
def apply_item_given_and_changed(s: Nested, t: Item):
    yield t
    t.xs.append(t.n)


USES = dict.fromkeys(["apply_keeps_item_and_changes_it", "apply_keeps_list_of_item",
                      "apply_list_of_item_in_dict", "apply_extends_list_of_item",
                      "apply_item_given_and_changed"], SHARING)


@ab.operator(by="key")
def apply_default_argument(s: Total, t: Item):
    s.n += 1
    yield remember(t.n)


def remember(x, seen=[]):
    seen.append(x)
    return len(seen)


class Base(ab.State):
    n: int = 0
    seen = []

    def note(self):
        self.seen.append(1)
        return len(self.seen)


class Derived(Base):
    m: int = 0

    def note(self):
        return super().note() * 10


@ab.operator(by="key")
def apply_inherited_class_list(s: Derived, t: Item):
    yield s.note()


class Field:
    """A descriptor beside the fields, with one value for all states."""

    def __init__(self):
        self.n = 0

    def __get__(self, instance, owner):
        self.n += 1
        return self.n

    def __set__(self, instance, value):
        self.n += value


class WithDescriptor(ab.State):
    m: int = 0
    shared = Field()


@ab.operator(by="key")
def apply_descriptor_get(s: WithDescriptor, t: Item):
    s.m += 1
    yield s.shared


@ab.operator(by="key")
def apply_descriptor_set(s: WithDescriptor, t: Item):
    s.shared = t.n
    yield s.shared


@ab.operator(by="key")
def apply_initial_changed(s: Total, t: Item):
    type(s).__record_fields__["n"] = t.n
    found = Total()
    s.n += 1
    Total.__record_initial__[0] = ("n", t.n, False)
    yield found.n


@ab.operator(by="key")
def apply_setattr_by_name(s: WithClassList, t: Item):
    setattr(type(s), "number", s.number + 1)
    yield s.number


@ab.operator(by="key")
def apply_two_keys_one_list(s: Nested, t: Item):
    s.last = s.last if s.last is not None else LOG
    s.last.append(t.n)
    yield len(s.last)


@ab.operator(by="key")
def apply_global_counter(s: Nested, t: Item):
    COUNTER[t.word] += 1
    yield COUNTER[t.word]


COUNTER = collections.Counter()


@ab.operator(by="key")
def apply_method_by_name(s: WithClassList, t: Item):
    yield getattr(s, "no" + "te")(t.n)


class Named(ab.State):
    """Methods with the names of a dict's."""

    n: int = 0

    def get(self, key, default=None):
        LOG.append(key)
        return len(LOG)

    def keys(self):
        LOG.append(1)
        return [len(LOG)]

    def copy(self):
        LOG.append(1)
        return len(LOG)


@ab.operator(by="key")
def apply_get_of_state(s: Named, t: Item):
    yield s.get(t.n)


@ab.operator(by="key")
def apply_keys_of_state(s: Named, t: Item):
    yield s.keys()


@ab.operator(by="key")
def apply_copy_of_state(s: Named, t: Item):
    yield s.copy()


@ab.operator(by="key")
def apply_without_its_state(s: Total, t: Item):
    other = kept.setdefault("it", Total())
    other.n += 1
    yield other.n


kept = {}
