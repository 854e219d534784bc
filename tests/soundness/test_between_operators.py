"""What one operator changes and another reads: neither of them is called parallel."""

from __future__ import annotations

import calendar
import codecs
import contextlib
import csv
import decimal
import os
import sys
from unittest import mock

import numpy as np
import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from soundness.corpus import PARALLEL, Case, fresh, read

MODULE = read("hostile", "between_operators")
PAIRS = [name.removeprefix("write_") for name in vars(MODULE) if name.startswith("write_")]


def functions(pair: str, module=MODULE) -> tuple:
    write, items = Case("hostile", "between_operators", f"write_{pair}").of(module)
    return write, getattr(module, f"read_{pair}"), items


@pytest.mark.parametrize("pair", PAIRS)
def test_neither_is_called_parallel(pair):
    write, reads, items = functions(pair)
    source = ab.from_iterable(items, type(items[0]))
    source.map(write, name="write").collect_into([])
    source.map(reads, name="read").collect_into([])
    facts = analyse(source.graph())
    assert [name for name in ("write", "read") if facts[name].state.value.kind in PARALLEL] == []


@contextlib.contextmanager
def as_it_was():
    """Puts back what the pairs change in the interpreter."""
    handler, digits = codecs.lookup_error("namereplace"), sys.get_int_max_str_digits()
    with np.printoptions():
        yield
    calendar.setfirstweekday(0)
    csv.register_dialect("excel", csv.excel)
    codecs.register_error("namereplace", handler)
    sys.set_int_max_str_digits(digits)


@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_read_depends_on_what_was_written(pair):
    _, reads, items = functions(pair, fresh("hostile", "between_operators"))
    unwritten = [repr(reads(item)) for item in items]
    write, reads, items = functions(pair, fresh("hostile", "between_operators"))
    # These last longer than the copy of the module.
    with decimal.localcontext(), mock.patch.dict(os.environ), as_it_was():
        written = [repr((write(item), reads(item))[1]) for item in items]
    assert written != unwritten
