"""What is imported when a command starts: neither Spark nor the compiler."""

from __future__ import annotations

import subprocess
import sys

import pytest

from applications.programs import EXAMPLES

HEAVY = ("pyspark", "py4j", "numba", "pandas", "lark")


def imported(text: str, heavy: tuple[str, ...] = HEAVY) -> list[str]:
    """What is heavy and there after these statements, in a process of their own."""
    text += f"; import sys; print(*[m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return found.stderr.splitlines()[-1].split()


@pytest.mark.parametrize("module", ["anabranch", "anabranch.cli", "anabranch.engine.run"])
def test_what_is_heavy_is_imported_where_it_is_used(module):
    assert imported(f"import {module}") == []


def test_a_short_run_loads_no_compiler():
    run = ["run", str(EXAMPLES / "balances.py"), "--engine", "multicore", "--workers", "2"]
    assert "numba" not in imported("from anabranch.cli import commands; "
                                   f"commands({run}, standalone_mode=False)")


def test_a_short_run_row_by_row_needs_neither_columns_nor_proofs():
    run = ["run", str(EXAMPLES / "balances.py"), "--engine", "sequential"]
    heavy = (*HEAVY, "numpy", "pyarrow", "anabranch.analysis.effects", "anabranch.engine.multicore",
             "anabranch.plan.logical.regions", "anabranch.kernels")
    assert imported("from anabranch.cli import commands; "
                    f"commands({run}, standalone_mode=False)", heavy) == []
