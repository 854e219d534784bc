# ruff: noqa
"""Methods of the user's own classes that have the names of harmless methods of built-in types."""

import datetime
import re

SEEN = []


class Shelf:
    """Looks like a dict, a list, a text, an array, a match: every method counts."""

    def __init__(self):
        self.n = 0
        self.data = {}

    def _count(self, *args, **kwargs):
        self.n += 1
        return self.n

    get = count = index = join = keys = split = replace = copy = _count
    values = items = upper = lower = strip = startswith = endswith = format = _count
    mean = sum = min = max = std = group = groups = total_seconds = isoformat = _count
    find = encode = decode = union = intersection = difference = issubset = _count
    title = partition = zfill = most_common = elements = date = weekday = _count
    hex = bit_length = is_integer = as_integer_ratio = conjugate = tolist = _count


SHELF = Shelf()


def map_get(t):
    return SHELF.get(t.n)


def map_count(t):
    return SHELF.count(t.n)


def map_index(t):
    return SHELF.index(t.n)


def map_join(t):
    return SHELF.join([t.word, "x"])


def map_keys(t):
    return SHELF.keys()


def map_values(t):
    return t.n + SHELF.values()


def map_items(t):
    return (t.n, SHELF.items())


def filter_split(t):
    return SHELF.split(",") % 2 == 0


def map_replace(t):
    return SHELF.replace("a", "b")


def map_copy(t):
    return SHELF.copy()


def map_upper(t):
    return t.word + str(SHELF.upper())


def map_strip(t):
    return SHELF.strip() * 2


def filter_startswith(t):
    return SHELF.startswith("a") % 3 == 0


def filter_endswith(t):
    return SHELF.endswith(t.word) % 4 == 0


def map_format(t):
    return SHELF.format(t.word)


def map_mean(t):
    return SHELF.mean() + t.x


def map_sum(t):
    return SHELF.sum(axis=0)


def map_min_max(t):
    return SHELF.min() + SHELF.max()


def map_group(t):
    return SHELF.group(1)


def map_groups(t):
    return SHELF.groups()


def map_total_seconds(t):
    return SHELF.total_seconds()


def map_isoformat(t):
    return SHELF.isoformat()


def map_date(t):
    return SHELF.date()


def map_find(t):
    return SHELF.find("a")


def map_encode(t):
    return SHELF.encode("utf-8")


def map_union(t):
    return SHELF.union({t.n})


def map_difference(t):
    return SHELF.difference(t.xs)


def filter_issubset(t):
    return SHELF.issubset(t.xs) % 2


def map_partition(t):
    return SHELF.partition("-")


def map_zfill(t):
    return SHELF.zfill(3)


def map_most_common(t):
    return SHELF.most_common(1)


def map_bit_length(t):
    return SHELF.bit_length()


def map_is_integer(t):
    return SHELF.is_integer()


def map_tolist(t):
    return SHELF.tolist()


def map_hex(t):
    return SHELF.hex()


class Pattern:
    """Looks like a compiled regular expression."""

    def __init__(self):
        self.calls = []

    def match(self, text):
        self.calls.append(text)
        return self

    def sub(self, new, text):
        self.calls.append(new)
        return text + str(len(self.calls))

    def findall(self, text):
        self.calls.append(text)
        return list(self.calls[-3:])

    def group(self, n=0):
        return self.calls[len(self.calls) // 2]

    search = fullmatch = match
    finditer = findall


PATTERN = Pattern()


def map_match_group(t):
    found = PATTERN.match(t.word)
    return found.group(0)


def map_search_group(t):
    if (found := PATTERN.search(t.word)):
        return found.group()
    return None


def map_sub(t):
    return PATTERN.sub("", t.word)


def flat_map_findall(t):
    return PATTERN.findall(t.word)


def flat_map_finditer(t):
    for found in PATTERN.finditer(t.word):
        yield found


class Text(str):
    """A str that counts in methods that a str has as well."""

    def upper(self):
        SEEN.append(1)
        return str.upper(self) + str(len(SEEN))

    def join(self, parts):
        SEEN.append(1)
        return f"{len(SEEN)}".join(parts)

    def split(self, *args):
        SEEN.append(self)
        return ["x"] * len(SEEN)

    def format(self, *args):
        SEEN.append(args)
        return str(len(SEEN))


SEPARATOR = Text("-")


def map_join_of_text_class(t):
    return SEPARATOR.join([t.word, t.word])


def map_upper_of_local_text(t):
    return Text(t.word).upper()


def flat_map_split_of_local_text(t):
    return Text(t.word).split("-")


def map_format_of_text_class(t):
    return SEPARATOR.format(t.n)


class Table(dict):
    def get(self, key, default=None):
        self[key] = self.setdefault(key, 0) + 1
        return self[key]

    def keys(self):
        self["seen"] = self.setdefault("seen", 0) + 1
        return [self["seen"]]


TABLE = Table()


def map_get_of_dict_class(t):
    return TABLE.get(t.key, 0)


def map_keys_of_dict_class(t):
    return list(TABLE.keys())[0]


class Numbers(list):
    def count(self, value):
        self.append(value)
        return len(self)

    def index(self, value):
        self.insert(0, value)
        return self[-1] + len(self)

    def copy(self):
        self.append(0)
        return list(self)


NUMBERS = Numbers([3, 4])


def map_count_of_list_class(t):
    return NUMBERS.count(t.n)


def map_index_of_list_class(t):
    return NUMBERS.index(t.n)


def map_copy_of_list_class(t):
    return len(NUMBERS.copy())


class Span(datetime.timedelta):
    taken = []

    def total_seconds(self):
        Span.taken.append(1)
        return float(len(Span.taken))


SPAN = Span(seconds=3)


def map_total_seconds_of_class(t):
    return SPAN.total_seconds() + t.n


class Day(datetime.date):
    asked = 0

    def isoformat(self):
        Day.asked += 1
        return str(Day.asked)


DAY = Day(2024, 1, 1)


def map_isoformat_of_class(t):
    return DAY.isoformat()


def map_method_of_local_alias(t):
    shelf = SHELF
    look = shelf.get
    return look(t.n)


def map_method_of_item_of_list(t):
    for shelf in [SHELF]:
        return shelf.count(t.n)


def map_method_through_parameter(t):
    def use(text):
        return text.upper()
    return use(SHELF)


def map_method_through_lambda(t):
    return (lambda d: d.get(t.n))(SHELF)


def map_method_of_conditional(t):
    d = {} if t.n < 0 else SHELF
    return d.get(t.n, 0)


def map_method_of_attribute(t, holder=type("Holder", (), {"words": SHELF})()):
    return holder.words.count(t.word)


def map_unbound_method(t):
    return Shelf.get(SHELF, t.n)


def map_method_of_dict_of_objects(t):
    registry = {"d": SHELF}
    return registry["d"].get(t.n)


def map_method_of_local_object(t):
    class Local:
        def get(self, key):
            SEEN.append(key)
            return len(SEEN)
    return Local().get(t.n)


class Counts:
    """Looks like a Counter or a set that is only read."""

    total_of_all = 0

    def total(self):
        type(self).total_of_all += 1
        return self.total_of_all

    def isdisjoint(self, other):
        Counts.total_of_all += 1
        return Counts.total_of_all % 2

    def symmetric_difference(self, other):
        Counts.total_of_all += 1
        return Counts.total_of_all


def map_total(t):
    return Counts().total()


def filter_isdisjoint(t):
    return Counts().isdisjoint(t.xs)


def map_symmetric_difference(t):
    c = Counts()
    return c.symmetric_difference(t.xs)


class Frame:
    def __init__(self):
        self.rows = []

    def append(self, row):
        """Unlike a list's, it gives something."""
        self.rows.append(row)
        return len(self.rows)

    def update(self, **changes):
        self.rows.append(changes)
        return len(self.rows)

    def pop(self, *args):
        self.rows.append(args)
        return len(self.rows) * 10

    def setdefault(self, key, default):
        self.rows.append(key)
        return len(self.rows)


def map_append_of_own_class(t, frame=Frame()):
    return frame.append(t.n)


FRAME = Frame()


def map_update_of_own_class(t):
    return FRAME.update(n=t.n)


def map_pop_of_own_class(t):
    return FRAME.pop()


def map_setdefault_of_own_class(t):
    return FRAME.setdefault(t.n, 0)


class Closing:
    def __init__(self):
        self.n = 0

    def hexdigest(self):
        self.n += 1
        return f"{self.n:x}"

    def digest(self):
        self.n += 1
        return bytes([self.n])

    def group(self, *names):
        self.n += 1
        return self.n

    def timestamp(self):
        self.n += 1
        return float(self.n)

    def fromkeys(self, keys):
        self.n += 1
        return dict.fromkeys(keys, self.n)

    def quantize(self, places):
        self.n += 1
        return self.n


CLOSING = Closing()


def map_hexdigest(t):
    return CLOSING.hexdigest()


def map_digest(t):
    return CLOSING.digest()


def map_timestamp(t):
    return CLOSING.timestamp()


def map_fromkeys(t):
    return CLOSING.fromkeys([t.n])


def map_quantize(t):
    return CLOSING.quantize(t.x)


def map_method_chosen_by_name(t):
    return getattr(SHELF, "get")(t.n)


def map_method_of_replaced_text(t):
    word = t.word
    word = SHELF
    return word.upper()


def map_method_of_text_in_loop(t):
    word = t.word
    for _ in range(2):
        found = word.lower()
        word = SHELF
    return found


def map_method_of_text_after_except(t):
    word = t.word
    try:
        int(word)
    except ValueError:
        word = SHELF
    return word.upper()


def map_method_annotated_otherwise(t):
    word: str = SHELF
    return word.upper()


def use_text(word: str) -> str:
    return word.title()


def map_method_of_annotated_parameter(t):
    return use_text(SHELF)


def text_of(t) -> str:
    return SHELF


def map_method_of_annotated_result(t):
    return text_of(t).lower()


def map_static_of_own_class(t):
    class Math:
        @staticmethod
        def sqrt(x):
            SEEN.append(x)
            return len(SEEN)
    return Math.sqrt(t.x)
