"""What one operator changes and another reads: neither of them is called parallel."""

from __future__ import annotations

import calendar
import codecs
import contextlib
import copy
import copyreg
import csv
import decimal
import html.entities
import json
import os
import reprlib
import sys
import types
from unittest import mock

import numpy as np
import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from soundness.corpus import PARALLEL, Case, fresh, read
from soundness.items import ITEMS

MODULE = read("hostile", "between_operators")
PAIRS = [name.removeprefix("write_") for name in vars(MODULE) if name.startswith("write_")]


def functions(pair: str, module=MODULE) -> tuple:
    write, items = Case("hostile", "between_operators", f"write_{pair}").of(module)
    return write, getattr(module, f"read_{pair}"), items


OF_THE_LIBRARY = {
    "context": (lambda t: setattr(CONTEXT, "prec", t.n), lambda t: str(decimal.Decimal(1) / 3)),
    "traps": (lambda t: CONTEXT.traps.clear(), lambda t: str(decimal.Decimal(1) / 3)),
    "flags": (lambda t: CONTEXT.clear_flags(), lambda t: str(decimal.Decimal(1) / 3)),
    "repr": (lambda t: setattr(reprlib.aRepr, "maxstring", t.n), lambda t: reprlib.repr(t.word)),
    "copyreg": (lambda t: copyreg.dispatch_table.clear(), lambda t: copy.copy(HELD).n),
    "calendar": (lambda t: calendar.mdays.append(t.n), lambda t: calendar.monthrange(2023, 2)[1]),
    "entities": (lambda t: html.entities.html5.clear(), lambda t: html.unescape(t.word)),
    "json": (lambda t: setattr(json._default_encoder, "item_separator", t.word),
             lambda t: json.dumps([1, 2])),
    "module": (lambda t: calendar.__dict__.update(January=t.n), lambda t: calendar.January),
}
"""Pairs that meet in what the library keeps for itself, so nobody runs them here."""
CONTEXT, HELD = decimal.getcontext(), types.SimpleNamespace(n=1)


@pytest.mark.parametrize("name", OF_THE_LIBRARY)
def test_what_the_library_looks_at_is_not_called_parallel(name):
    neither(*OF_THE_LIBRARY[name], ITEMS)


@pytest.mark.parametrize("pair", PAIRS)
def test_neither_is_called_parallel(pair):
    neither(*functions(pair))


def neither(write, reads, items):
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
