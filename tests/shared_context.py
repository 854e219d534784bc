"""What tests of hidden state change in the interpreter, put back behind each of them."""

from __future__ import annotations

import decimal

import pytest


@pytest.fixture(autouse=True)
def decimal_context():
    before = decimal.getcontext().copy()
    yield
    decimal.setcontext(before)
