"""The retail queries, computed once more over all of their input at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, groupby

import numpy as np
import pytest

from applications.programs import answer, items_of, plan_of

HOUR, DAY = 3600, 86400


def sales(name: str) -> list:
    every = list(items_of(plan_of(name))["sales"])
    return [s for s in every if s.category != "returned"]


def clicks(name: str) -> list:
    return list(items_of(plan_of(name))["clicks"])


def sessions(given: list) -> list[list]:
    """The clicks of each user, cut where an hour passes without one."""
    found = []
    for _, group in groupby(sorted(given, key=lambda c: (c.user, c.ts)), key=lambda c: c.user):
        of_user = list(group)
        cuts = [i for i in range(1, len(of_user)) if of_user[i].ts - of_user[i - 1].ts > HOUR]
        found += [of_user[a:b] for a, b in zip([0, *cuts], [*cuts, len(of_user)])]
    return found


def ranked(counts: Counter, top: int) -> list:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:top]


def test_pairs_sold_together_in_each_hour():
    hours, baskets = defaultdict(Counter), defaultdict(list)
    for s in sales("sold_together"):
        for other in baskets[s.ticket]:
            if other != s.item:
                hours[s.ts // HOUR][tuple(sorted((other, s.item)))] += 1
        baskets[s.ticket].append(s.item)
    expected = [(hour, a, b, n) for hour, pairs in sorted(hours.items())
                for (a, b), n in ranked(pairs, 5)]
    assert list(answer("sold_together")) == expected and len(hours) > 20


def test_products_viewed_together_in_a_session():
    views = [c for c in clicks("viewed_together") if c.kind == "view"]
    pairs = Counter(pair for session in sessions(views)
                    for pair in combinations(sorted({c.item for c in session}), 2))
    expected = [(a, b, n) for (a, b), n in ranked(pairs, 30)]
    assert list(answer("viewed_together")) == expected and len(sessions(views)) > 100


def test_the_last_five_views_before_a_purchase():
    before, views, bought = defaultdict(Counter), defaultdict(list), []
    for c in clicks("last_views"):
        if c.kind == "view":
            views[c.user].append(c)
        elif c.kind == "buy":
            last = [v.item for v in views[c.user][-5:] if c.ts <= v.ts + 10 * DAY]
            before[c.item].update(last)
            bought += [c.item] if last else []
    expected = [(item, viewed, n) for item in dict.fromkeys(bought)
                for viewed, n in ranked(before[item], 30)]
    assert list(answer("last_views")) == expected and len(set(bought)) > 10


def test_pages_of_sessions_whose_cart_was_abandoned():
    given = [c for c in clicks("abandoned_carts") if c.item < 25]
    kinds = [[c.kind for c in session] for session in sessions(given)]
    lengths = [len(k) for k in kinds if "cart" in k and "buy" not in k]
    assert list(answer("abandoned_carts")) == [(len(lengths), sum(lengths) / len(lengths))]
    assert 10 < len(lengths) < len(kinds)


def test_categories_that_decline():
    days = defaultdict(Counter)
    for s in sales("declining_categories"):
        days[s.category][s.ts // DAY] += s.amount
    slopes = {category: np.polyfit(list(found), list(found.values()), 1)[0]
              for category, found in days.items()}
    expected = [(category, pytest.approx(slope, rel=1e-9))
                for category, slope in slopes.items() if slope <= 0]
    assert list(answer("declining_categories")) == expected and 0 < len(expected) < len(days)
