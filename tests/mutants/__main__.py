"""Draws mutants and runs the tests against each: `python -m mutants --count 100 --seed 7`."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

from mutants.changes import Change, changes
from mutants.places import GROUPS, ROOT, Group
from mutants.trial import Copy

OUT = ROOT / "out" / "mutants"
TIMES = 4
"""A mutant whose tests take so many times as long as those of the source does not end."""
EQUIVALENT = Path(__file__).with_name("equivalent.txt")


def equivalent() -> dict[tuple[str, ...], str]:
    """The reason of each mutant that behaves as the source does, by its module and its lines."""
    known = {}
    for block in EQUIVALENT.read_text().split("\n\n"):
        lines = block.strip().splitlines()
        if lines and not lines[0].startswith("#"):
            known[tuple(lines[:-1])] = lines[-1]
    return known


def named(module: Path, change: Change) -> tuple[str, ...]:
    return (str(module.relative_to(ROOT)), *change.lines)


def drawn(group: Group, draw: random.Random, copy: Copy) -> list[tuple[Path, Change]]:
    """All mutants of a group, in an order of chance."""
    found = [(module, change) for module in group.modules
             for change in changes(copy.text(module))
             if group.tables is None or change.in_table is group.tables]
    draw.shuffle(found)
    return found


def run(count: int, seed: int, only: str | None) -> int:
    """How many mutants survive."""
    OUT.mkdir(parents=True, exist_ok=True)
    copy, known, total = Copy(OUT), equivalent(), Counter()
    for group in GROUPS:
        if only in (None, group.name):
            _run_group(group, round(count * group.share), random.Random(f"{seed} {group.name}"),
                       copy, known, total)
    tried = total["caught"] + total["did not end"] + total["survived"]
    print(f"{tried} mutants: {total['caught']} caught, {total['did not end']} did not end, "
          f"{total['survived']} survived; {total['equivalent']} more are equivalent; "
          f"the same again: make mutants COUNT={count} SEED={seed}")
    return total["survived"]


def _run_group(group: Group, count: int, draw: random.Random, copy: Copy, known: dict,
               total: Counter) -> None:
    left, first = count, group.modules[0]
    sound = copy.tried(first, copy.text(first), group.stages_for(first))
    if sound.caught:
        sys.exit(f"the tests of {group.name} fail without a mutant: see {copy.folder}/last.txt")
    print(f"{group.name}: {sound.seconds:.0f} s for all tests of a mutant", flush=True)
    for module, change in drawn(group, draw, copy):
        if not left:
            break
        if not change.is_other_code:
            continue
        name = f"{module.relative_to(ROOT)}: {change.what}"
        if named(module, change) in known:
            total["equivalent"] += 1
            print(f"equivalent   {name}: {known[named(module, change)]}", flush=True)
            continue
        verdict = copy.tried(module, change.after, group.stages_for(module),
                             limit=TIMES * sound.seconds)
        left -= 1
        total[verdict.how] += 1
        print(f"{verdict.how:12} {verdict.seconds:4.0f} s  {name}", flush=True)
        if not verdict.caught:
            print(change.diff, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", help="only this group of modules")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**9) if given.seed is None else given.seed
    began = time.monotonic()
    survived = run(given.count, seed, given.only)
    print(f"in {time.monotonic() - began:.0f} s")
    sys.exit(1 if survived * 20 > given.count else 0)


if __name__ == "__main__":
    main()
