"""Vehicles on highways, and the tolls they owe, computed from their reports alone."""

from __future__ import annotations

import random
from collections import Counter

MILE, LENGTH = 1760, 8


def reports(vehicles: int, seconds: int, seed: int) -> list[tuple]:
    """Position reports, each vehicle's every half minute: time, vehicle, speed, position,
    direction, highway. Some vehicles stop, so that segments become congested."""
    chance, out = random.Random(seed), []
    for vehicle in range(vehicles):
        time, position = chance.randrange(30), chance.randrange(LENGTH * MILE)
        direction, highway = chance.randrange(2), chance.randrange(2)
        while time < seconds:
            speed = chance.choice([0, 10, 35, 50, 65])
            out.append((time, vehicle, speed, position, direction, highway))
            position = min(LENGTH * MILE - 1, position + speed * 15)
            time += 30 if chance.random() < 0.9 else chance.randrange(31, 90)
    return sorted(out, key=lambda report: report[0])


def tolls(reports: list[tuple]) -> list[tuple]:
    """Time, vehicle and toll for each entry into a congested segment, in order."""
    out, before = [], set()
    for now in range(reports[0][0], reports[-1][0] + 1):
        past = [report for report in reports if report[0] <= now]
        active = _active(past, now)
        volume = Counter(place for _, place in active)
        slow = _congested(past, now)
        out += sorted((now, vehicle, 2 * (volume[place] - 150) ** 2)
                      for vehicle, place in active - before if place in slow)
        before = active
    return out


def _place(report: tuple) -> tuple:
    return report[3] // MILE, report[4], report[5]


def _active(past: list[tuple], now: int) -> set[tuple]:
    last = {report[1]: report for report in past}
    return {(vehicle, _place(report)) for vehicle, report in last.items() if report[0] >= now - 30}


def _congested(past: list[tuple], now: int) -> set[tuple]:
    speeds: dict[tuple, list[int]] = {}
    for report in past:
        if report[0] >= now - 300:
            speeds.setdefault(_place(report), []).append(report[2])
    return {place for place, found in speeds.items() if sum(found) < 40 * len(found)}
