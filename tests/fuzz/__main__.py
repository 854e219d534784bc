"""Every search for its share of the time: `python -m fuzz --seconds 180 --seed 7`."""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUT = ROOT / "out" / "fuzz"

SHARES = {"user_programs": 4.0}
"""How the time is divided; another search takes one share."""


def searches() -> dict[str, object]:
    """The modules of this folder with a `main(seconds, seed)`."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py")
                   if not path.stem.startswith(("_", "test_")))
    modules = {name: importlib.import_module(f"fuzz.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "main")}


def run(seconds: float, seed: int, only: list[str], **more: object) -> int:
    """How many findings there were; each lies in a file of its own."""
    chosen = {name: module for name, module in searches().items() if not only or name in only}
    whole, found = sum(SHARES.get(name, 1.0) for name in chosen), 0
    OUT.mkdir(parents=True, exist_ok=True)
    for name, module in chosen.items():
        share = seconds * SHARES.get(name, 1.0) / whole
        print(f"{name}: {share:.0f} s from seed {seed}", flush=True)
        for number, (title, text) in enumerate(module.main(share, seed, **more)):
            path = OUT / f"test_{name}_{seed}_{number}.py"
            path.write_text(text)
            print(f"{title}\n  --> {path.relative_to(ROOT)}", flush=True)
            found += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--programs", type=int, help="only user programs, and so many of them")
    parser.add_argument("--jobs", type=int, help="so many processes run user programs")
    parser.add_argument("--only", action="append", default=[], help="only this search")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**9) if given.seed is None else given.seed
    began = time.monotonic()
    if given.programs is None:
        found = run(given.seconds, seed, given.only)
    else:
        found = run(float("inf"), seed, ["user_programs"], programs=given.programs,
                    jobs=given.jobs)
    print(f"{found} findings in {time.monotonic() - began:.0f} s; the same again: "
          f"make fuzz SEED={seed} SECONDS={given.seconds:g}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
