"""High-mobility fraud, computed once more in another way."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import pairwise

from applications.programs import answer, items_of, plan_of


def test_hours_count_the_impossible_ways_between_two_calls():
    seen = defaultdict(list)
    for call in items_of(plan_of("mobility_fraud"))["calls"]:
        if call.area == 44:
            seen[call.caller].append((call.ts, call.caller_x, call.caller_y))
            seen[call.callee].append((call.ts, call.callee_x, call.callee_y))
    hours, fastest = Counter(), defaultdict(float)
    for way in seen.values():
        for (before, x0, y0), (ts, x1, y1) in pairwise(way):
            if ts > before:
                speed = math.dist((x0, y0), (x1, y1)) / ((ts - before) / 3600)
                if speed > 200:
                    hours[ts // 3600] += 1
                    fastest[ts // 3600] = max(fastest[ts // 3600], speed)
    told = answer("mobility_fraud")
    assert [(w.start, w.cases) for w in told] == sorted((3600 * h, n) for h, n in hours.items())
    assert all(math.isclose(w.fastest, fastest[w.start // 3600]) for w in told)
    assert len(told) > 10
