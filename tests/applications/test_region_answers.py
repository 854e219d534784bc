"""The applications of the region paper, computed once more in another way."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from fractions import Fraction
from statistics import mean

import numpy as np
import pytest

import anabranch as ab
from anabranch.engine.run import engine as engine_called
from applications.programs import answer, items_of, plan_of


def given(name: str, source: str) -> list:
    return list(items_of(plan_of(name))[source])


def test_network_monitoring_tells_of_users_above_what_is_usual():
    entries, before, unusual = given("network_monitoring", "entries"), defaultdict(list), []
    for entry in entries:
        seen = before[entry.server]
        if len(seen) >= 20 and entry.sent > 3 * mean(seen):
            unusual.append(entry)
        seen.append(entry.sent)
    expected = {}
    for entry in unusual:
        window = (entry.uid, entry.ts // 60 * 60)
        expected[window] = [*expected.get(window, []), entry.sent]
    told = answer("network_monitoring")
    assert {(a.uid, a.start): (a.entries, a.sent) for a in told} == {
        window: (len(sent), sum(sent)) for window, sent in expected.items() if len(sent) > 3}
    assert len(told) > 10 and {a.uid for a in told} <= set(range(5))


def matrix(pages: int, links: int) -> np.ndarray:
    """Column p says where the rank of page p goes."""
    found = np.zeros((pages, pages))
    for page in range(pages):
        for n in range(page * links, (page + 1) * links):
            found[min(ab.noise(n) % pages, ab.noise(n, 1) % pages), page] += 1 / links
    return found


@pytest.mark.parametrize("pages, links, blocks", [(400, 8, 4), (97, 3, 1), (50, 5, 7)])
def test_pagerank_is_the_fixed_point_of_a_power_iteration(pages, links, blocks):
    told = answer("pagerank", pages=str(pages), links=str(links), blocks=str(blocks))
    moves = matrix(pages, links)
    ranks = np.full(pages, 1 / pages)
    for _ in range(200):
        ranks = 0.15 / pages + 0.85 * moves @ ranks
    assert [r.page for r in told] == list(range(pages))
    assert np.abs(np.array([r.rank for r in told]) - ranks).max() < 1e-10
    assert sum(r.rank for r in told) == pytest.approx(1)


def test_words_are_letters_joined_by_hyphens_and_apostrophes():
    for tweet, told in zip(given("tweet_words", "tweets"), answer("tweet_words"), strict=True):
        words = [w.lower() for w in tweet.text.replace("!", "").split() if not w.isdigit()]
        assert all(w.startswith(s) and w[len(s):] in ("", "s", "es", "ed", "ies", "ing")
                   for w, s in zip(words, told.words, strict=True))
        assert told.lengths == list(map(len, told.words))
        assert told.mean == (mean(told.lengths) if told.lengths else 0)


def test_matches_are_five_posts_in_a_row_with_the_tag():
    posts = [re.findall(r"author>(\d+)<|at>(\d+)<|#(\w+)", text)
             for text in given("same_tag", "posts")]
    by_author, expected = defaultdict(list), []
    for (author, *_), (_, at, _), *tags in posts:
        line = by_author[author]
        line.append({tag for *_, tag in tags})
        shared = set.intersection(*line[-5:]) if len(line) >= 5 else ()
        expected += [(int(author), tag, int(at)) for tag in sorted(shared)]
    assert [(f.author, f.tag, f.at) for f in answer("same_tag")] == expected
    assert all(f.posts >= 5 for f in answer("same_tag")) and len(expected) > 100


def test_bargains_cost_less_than_the_average_of_ten_trades():
    averages = defaultdict(list)
    trades = defaultdict(list)
    for t in given("finance", "trades"):
        last = trades[t.symbol] = [*trades[t.symbol], t][-10:]
        if len(last) == 10:
            volume = sum(x.volume for x in last)
            averages[t.symbol].append(
                (t.ts, sum(Fraction(x.price) * x.volume for x in last) / volume))
    expected = []
    for o in given("finance", "offers"):
        # A trade at the time of an offer comes first: its stream is the first of the union.
        at = bisect_right([ts for ts, _ in averages[o.symbol]], o.ts)
        if at and o.ask < averages[o.symbol][at - 1][1]:
            saved = (averages[o.symbol][at - 1][1] - Fraction(o.ask)) * o.size
            expected.append((o.ts, o.symbol, o.ask, o.size, pytest.approx(float(saved), abs=0.011)))
    assert list(answer("finance")) == expected and len(expected) > 500


def test_explain_says_why_a_loop_is_one_task_on_spark():
    [loop] = [stage for stage in engine_called("spark").execution(plan_of("pagerank")).stages
              if "spread" in stage.operators]
    assert "a round shared by several tasks would be a job of its own" in loop.arrival
