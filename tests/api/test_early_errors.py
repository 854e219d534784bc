"""Mistakes that are found before anything runs, each at the user's line."""

from __future__ import annotations

import pytest

import anabranch as ab


class Item(ab.Record):
    k: int
    name: str
    tags: list[int]
    at: int = 0


class Other(ab.Record):
    at: str


class Count(ab.State):
    n: int = 0


@ab.operator(by="tags")
def by_list(state: Count, t: Item):
    yield t


def items():
    return ab.from_iterable([], Item)


def two_times():
    left = ab.from_iterable([], Item, time="at").map(lambda t: t.at)
    right = ab.from_iterable([], Other, time="at").map(lambda t: 1)
    return left.union(right, arrival=True).collect()


def unknown_annotation():
    class Wrong(ab.Record):
        k: Nowhere  # noqa: F821 (that is the mistake)
    return ab.from_iterable([], Wrong)


def foreign_annotation():
    class Wrong(ab.Record):
        z: complex
    return ab.from_iterable([], Wrong)


MISTAKES = {
    "map calls its function with one item": lambda: items().map(lambda a, b: a),
    "filter calls its function with one item": lambda: items().filter(lambda: True),
    "join calls its function with 2 items": lambda: items().join(
        items(), by="k", keep=ab.recent(count=1), into=lambda a: a),
    "barrier calls its function with 2 items": lambda: ab.barrier(
        items(), items(), into=lambda a: a),
    "join takes streams": lambda: items().join(5, by="k", keep=ab.recent(count=1)),
    "union takes streams": lambda: items().union([1], arrival=True),
    "barrier takes streams": lambda: ab.barrier(items(), 3, into=lambda a, b: a),
    "Item cannot be a key: it holds a list": lambda: items().deduplicate(),
    "Item.tags cannot be a key: it holds a list": lambda: items().apply(by_list),
    "sum(name) needs numbers": lambda: items().aggregate(ab.tumbling(count=2), s=ab.sum("name")),
    "mean(tags) needs numbers": lambda: items().aggregate(ab.tumbling(count=2), s=ab.mean("tags")),
    "generate takes a number of items from 0 on": lambda: ab.generate(lambda i: i, -1),
    "are merged by times that cannot be compared": two_times,
    "an annotation of Wrong cannot be read: name 'Nowhere'": unknown_annotation,
    "Wrong.z: complex is not a type": foreign_annotation,
    "attributes are given by their names": lambda: ab.operator(by=lambda t: t.k)(by_list),
    "came: 3": lambda: items().aggregate(ab.tumbling(count=2), by=["k", 3], n=ab.count()),
    "a file is given by its path": lambda: ab.read_csv(5, Item),
    "there is no option 'enginee'": lambda: items().collect(enginee="sequential"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_found_at_the_users_line(what):
    with pytest.raises(ab.AnabranchError) as caught:
        MISTAKES[what]()
    assert what in str(caught.value)
    assert caught.value.exit_code == 2
    assert caught.value.where.file == __file__


def test_functions_that_take_more_than_they_are_given_are_fine():
    numbers = ab.from_iterable([1, 2], int)
    assert numbers.map(lambda x, by=3: x * by).collect() == [3, 6]
    assert numbers.map(lambda *xs: len(xs)).collect() == [1, 1]
    assert numbers.map(str).collect() == ["1", "2"]
    assert numbers.map(Vague(), to=int).collect() == [1, 2]


class Vague:
    """Claims to have every attribute, so its signature and its name make no sense."""

    def __getattr__(self, name):
        return 3

    def __call__(self, item):
        return item


def test_standard_input_has_one_reader():
    both = ab.read_stdin(int, format="jsonl").union(ab.read_stdin(int, format="jsonl"),
                                                    arrival=True)
    with pytest.raises(ab.UsageError, match="two sources read standard input"):
        both.collect()
