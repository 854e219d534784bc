"""`make types`: mypy, pyright and ty in strict mode over the README, the tutorial, the examples."""

import sys
import tempfile
from pathlib import Path

from checkers.ask import CHECKERS
from checkers.compare import differences
from checkers.programs import expected_types, written

failed = False
for name, ask in CHECKERS.items():
    with tempfile.TemporaryDirectory() as folder:
        found = differences(name, ask(written(Path(folder).resolve())))
    print(f"{name}: {len(found)} differences, {len(expected_types())} types revealed")
    print("".join(f"  {line}\n" for line in found), end="")
    failed |= bool(found)
sys.exit(failed)
