"""What an installed package does is told at the user's line, with what helps."""

import sys

import pytest

from anabranch.compile import compile_graph, load

PROGRAM = """
import anabranch as ab
import ledgerlib

def rate(n):
    return ledgerlib.rate(n)

def helped(n):
    return inner(n)

def inner(n):
    return ledgerlib.deeper(n)

class Rated:
    def __init__(self, n):
        self.n = n

numbers = ab.from_iterable([1, 2], int)
{use}
"""

LIBRARY = """
import sys

def rate(n):
    return n + len(sys._getframe().f_code.co_name)

def deeper(n):
    return [rate(n)][0]
"""


@pytest.fixture
def reason(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "ledgerlib"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, "ledgerlib", raising=False)

    def told(use: str):
        (tmp_path / "program.py").write_text(PROGRAM.replace("{use}", use))
        plan = compile_graph(load(tmp_path / "program.py"))
        return next((why for name, why in plan.sequential.items() if name != "stdout"), None)
    yield told
    sys.modules.pop("ledgerlib", None)


@pytest.mark.parametrize("use, line, called", [
    ("numbers.map(rate).write_stdout()", 6, "ledgerlib.rate"),
    ("numbers.map(helped).write_stdout()", 12, "ledgerlib.deeper")])
def test_the_line_is_the_users(reason, use, line, called):
    why = reason(use)
    assert why.text == (
        f"state is unknown: in ledgerlib, called by `{called}`, calls `sys._getframe`, which does "
        "input or output (if ledgerlib only computes here, pure=True says so)")
    assert (why.span.file.endswith("program.py"), why.span.line) == (True, line)


def test_who_says_that_it_is_pure_is_believed(reason):
    assert reason("numbers.map(rate, pure=True).write_stdout()") is None
