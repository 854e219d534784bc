"""Runs the property tests of the suite with new examples: schedules, languages, kernels, files.

A test that fails is written as a file that runs it on the very example.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]

TESTS = {
    "schedules": ["properties/test_random_programs.py", "brooklet", "sdf", "rewrite",
                  "engines/multicore/test_multicore_random.py",
                  "engines/multicore/test_multicore_timing.py",
                  "engines/multicore/test_multicore_turns.py",
                  "engines/multicore/test_multicore_loops.py",
                  "engines/multicore/test_multicore_merging.py"],
    "languages": ["lang/cql", "lang/sawzall", "lang/spl", "lang/streamit", "lang/common"],
    "synchronization": ["sync/test_sync_team.py", "sync/test_sync_keyed_team.py",
                        "sync/test_sync_keyed.py", "sync/test_sync_gang_tasks.py",
                        "sync/test_sync_any_dependence.py",
                        "engines/multicore/test_multicore_bounds.py"],
    "kernels": ["kernels/test_kernel_functions.py", "kernels/test_kernel_constructs.py",
                "kernels/test_kernel_programs.py", "kernels/test_kernel_aggregates.py"],
    "files": ["io/test_io_csv_blocks.py", "io/test_io_jsonl_blocks.py", "io/test_io_malformed.py",
              "io/test_io_roundtrip.py", "io/test_io_splits.py"],
}
"""The property tests by what they search for."""

FAILED = re.compile(r"^FAILED (tests/\S+)", re.MULTILINE)
BLOB = re.compile(r"@reproduce_failure\(('[^']*', b'[^']*')\)")


def main(seconds: float, seed: int) -> list[tuple[str, str]]:
    """Every group of tests in turn, with another seed each time, until the time is up."""
    end, draw, findings, runs = time.monotonic() + seconds, random.Random(seed), [], 0
    turns = [(group, path) for group, paths in TESTS.items() for path in paths]
    draw.shuffle(turns)
    while time.monotonic() < end and turns:
        group, path = turns[runs % len(turns)]
        findings += _run(group, path, draw.randrange(2**32), end - time.monotonic())
        runs += 1
    print(f"properties: {runs} groups of tests with new examples, {len(findings)} findings",
          flush=True)
    return findings


def _run(group: str, path: str, seed: int, seconds: float) -> list[tuple[str, str]]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist",
               "-p", "no:cacheprovider", "--hypothesis-profile", "fuzz",
               f"--hypothesis-seed={seed}", f"tests/{path}", "-m", "not slow and not long",
               "-k", _with_examples(ROOT / "tests" / path)]
    print(f"properties: {group}, {path}, seed {seed}", flush=True)
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True,
                              timeout=seconds + 1, env=os.environ | {"ANABRANCH_COMPILE": "here"})
    except subprocess.TimeoutExpired:
        return []
    if done.returncode != 1:
        return []
    name = (FAILED.findall(done.stdout) or [f"tests/{path}"])[0]
    title = f"{name} fails with --hypothesis-seed={seed}"
    print(f"found: {title}", flush=True)
    return [(title, _as_test(name, seed, done.stdout))]


def _with_examples(path: Path) -> str:
    """The tests that draw examples, as pytest selects them: the others say the same each time."""
    files = sorted(path.glob("test_*.py")) if path.is_dir() else [path]
    drawn = re.compile(r"^@given\(.*?^def (test_\w+)", re.MULTILINE | re.DOTALL)
    names = [name for file in files for name in drawn.findall(file.read_text())]
    return " or ".join(names)


TEST = '''"""Found by `make fuzz`: {title}.

{shown}
"""
{body}
'''


def _as_test(name: str, seed: int, output: str) -> str:
    """The test on its failing example, or the command that finds it again."""
    shown = output[-6000:].replace("\\", "\\\\").replace('"""', "'''")
    file, _, test = name.partition("::")
    function, blob = test.partition("[")[0], BLOB.search(output)
    module = file.removeprefix("tests/").removesuffix(".py").replace("/", ".")
    if blob and function and "[" not in test:
        body = (f"\nfrom hypothesis import reproduce_failure\nfrom {module} import {function} as "
                f"found\n\n{function} = reproduce_failure({blob[1]})(found)")
    else:
        arguments = ["-q", "--hypothesis-profile", "fuzz", f"--hypothesis-seed={seed}", name]
        body = f"\nimport pytest\n\nif __name__ == '__main__':\n    pytest.main({arguments})"
    return TEST.format(title=f"{name}, seed {seed}", shown=shown, body=body)
