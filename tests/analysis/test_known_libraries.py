"""Functions of Python's libraries and of NumPy that only compute, and those that do more."""

from __future__ import annotations

import decimal
import hashlib
import operator
import time

import numpy as np
import pytest

from anabranch.analysis.effects.purity import purity
from anabranch.analysis.fact import EffectKind
from anabranch.ir.operators import Map
from analysis.support import function, single

LIBRARIES = {"np": np, "hashlib": hashlib, "decimal": decimal, "operator": operator, "time": time}


def effects(expression: str) -> set[tuple[EffectKind, str]]:
    names = {**LIBRARIES, "weights": np.array([1.0, 2.0]), "digest": hashlib.md5()}
    graph = single(Map(function(f"f = lambda t: {expression}", names)))
    return {(e.kind, e.name) for e in purity(graph, graph["op"]).value}


@pytest.mark.parametrize("expression", [
    "hashlib.md5(t.name.encode()).hexdigest()", "hashlib.blake2b(t.name.encode()).digest()",
    "decimal.Decimal(t.name).quantize(decimal.Decimal('0.01'))",
    "t.name.translate(str.maketrans('ab', 'ba'))", "bytes.fromhex(t.name)",
    "int.from_bytes(t.name.encode(), 'big')", "dict.fromkeys(t.tags)",
    "sorted(enumerate(t.tags), key=operator.itemgetter(1))",
    "time.strftime('%H', time.gmtime(t.uid))", "time.strptime(t.name, '%Y')",
    "np.dot([1.0, t.amount], [t.amount, 2.0])", "float(np.linalg.norm([t.amount, 1.0]))",
    "np.array([t.amount, 1.0]).mean()", "np.where(t.amount > 0, 1, 2).tolist()",
])
def test_they_only_compute(expression):
    assert effects(expression) == set()


@pytest.mark.parametrize("expression", [
    "float(weights.dot([t.amount, 1.0]))", "float(np.interp(t.amount, weights, weights))",
    "weights[0] * t.amount",
])
def test_reading_a_shared_array_is_only_noted(expression):
    assert effects(expression) == {(EffectKind.READS_SHARED, "weights")}


@pytest.mark.parametrize(("expression", "expected"), [
    ("np.add(weights, t.amount, out=weights)", (EffectKind.WRITES, "weights")),
    ("np.add(weights, t.amount, weights)", (EffectKind.WRITES, "weights")),
    ("np.dot(weights, weights, weights)", (EffectKind.WRITES, "weights")),
    ("np.copyto(weights, t.amount)", (EffectKind.WRITES, "weights")),
    ("np.asarray(weights).sort()", (EffectKind.WRITES, "weights")),
    ("np.ravel(weights).fill(t.amount)", (EffectKind.WRITES, "weights")),
    ("weights.fill(t.amount)", (EffectKind.WRITES, "weights")),
    ("digest.update(t.name.encode())", (EffectKind.WRITES, "digest")),
    ("np.empty(3)", (EffectKind.RANDOM, "np.empty")),
    ("np.random.rand()", (EffectKind.RANDOM, "np.random.rand")),
    ("np.save(t.name, weights)", (EffectKind.IO, "np.save")),
    ("np.fromiter(t.tags, int)", (EffectKind.UNRESOLVED, "np.fromiter")),
    ("time.gmtime()", (EffectKind.CLOCK, "time.gmtime")),
    ("time.gmtime(None)", (EffectKind.CLOCK, "time.gmtime")),
    ("time.gmtime(*t.tags)", (EffectKind.CLOCK, "time.gmtime")),
])
def test_they_do_more(expression, expected):
    assert expected in effects(expression)
