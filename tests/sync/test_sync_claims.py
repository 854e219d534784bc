"""Workers that are alike share the rows of a slice: each row goes to one of them, and who is slower
does fewer."""

from __future__ import annotations

import threading

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.engine.multicore.gangs.shards import alike_of, layout_of, scheduled
from anabranch.kernels.native.library.atomics import claimed
from anabranch.kernels.native.team.distribution import dealt
from anabranch.plan.sync.plan import Shard, Tree, leaf


def values(*numbers: int, others: tuple[str, ...] = ()) -> list[Tree]:
    return [leaf(Shard("value", n), *map(Shard, others)) for n in numbers]


def test_each_number_is_claimed_once_by_several_threads():
    board, found = np.zeros(1, np.int64), [[] for _ in range(4)]

    def work(own: list[int]):
        for end in (1000, 1000, 50_000):
            while True:
                first, last = claimed(board, 0, end, len(found))
                own.extend(range(first, last))
                if first == last:
                    break
    threads = [threading.Thread(target=work, args=(own,)) for own in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(n for own in found for n in own) == list(range(50_000))
    assert all(own == sorted(own) for own in found)


def test_one_alone_claims_all_at_once():
    assert claimed(np.full(1, 7), 0, 5000, 1) == (7, 5000)


def test_who_has_other_tags_or_others_above_is_not_alike():
    first, second = values(0, 1)
    third, = values(2, others=("single",))
    tree = Tree(frozenset({Shard("sync")}), (
        Tree(frozenset({Shard("rare")}), (first, second)), Tree(frozenset(), (third, *values(3)))))
    assert alike_of(tree) == [0, 1, 2, 2, 4, 5, 6]


@given(st.lists(st.sampled_from([0, 0, 0, 0, 1]), max_size=60))
@settings(max_examples=40, deadline=None)
def test_those_who_are_alike_have_one_share(tags):
    """Tag 0 is for any of the leaves, tag 1 for the root."""
    one, two, three = values(0, 1, 2)
    tree = Tree(frozenset({Shard("sync")}), (one, Tree(frozenset(), (two, three))))
    alike, layout = alike_of(tree), layout_of(tree)
    order, begins, many = dealt(np.array(tags, np.int32), np.arange(2),
                                [[alike[n] for n in (1, 3, 4)], [0]], 5)
    assert many.tolist() == [tags.count(0), tags.count(1)]
    shares = scheduled(layout, alike, order, begins, len(order))
    share = shares[1]
    assert all(other is share for other in shares.values()) and share.sharers == 3
    assert share.claims.tolist() == [share.first]
    rows = order[share.first:share.cuts[-1]].tolist()
    assert rows == [row for row, tag in enumerate(tags) if tag == 0]
    for cut, first, end in zip(share.cuts, share.firsts, share.ends):
        assert all(row < (order[first] if first < end else len(tags))
                   for row in order[share.first:cut])
