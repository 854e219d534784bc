"""What is imported when a command starts: neither Spark nor the compiler."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pyspark", "py4j", "numba", "pandas", "lark")


@pytest.mark.parametrize("module", ["anabranch", "anabranch.cli", "anabranch.engine.run"])
def test_what_is_heavy_is_imported_where_it_is_used(module):
    text = f"import sys, {module}; print(*[m for m in {HEAVY} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
