"""Random functions and random data: every tier gives the sequential engine's bits."""

from __future__ import annotations

import functools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anabranch as ab
from kernels.random_blocks import block_function
from kernels.random_functions import In, Memory, Out, generator_function, map_function
from kernels.tiers import Program

INTS = st.one_of(st.integers(-9, 9), st.sampled_from(
    [0, 2**31, 2**53 + 1, -2**53 - 1, 2**62, 2**63 - 1, -2**63, 10**15]))
FLOATS = st.one_of(st.sampled_from([0.0, -0.0, 1.5, -2.5, 0.1, 1e300, 5e-324, float("inf"),
                                    float("-inf"), float("nan"), 2.0**53, 2.0**63]),
                   st.floats(-100, 100))
TEXTS = st.one_of(st.sampled_from(["", "a", "b", "abc", " AB ", "é", "İ", "ß", "\0", "𝄞"]),
                  st.text(max_size=4).filter(lambda s: s.isprintable()))
TAME = st.lists(st.builds(In, st.integers(-9, 9), st.integers(1, 9), st.floats(0.5, 9),
                          st.floats(-9, -0.5), st.booleans(), TEXTS, st.just(3), st.just(2.5)),
                max_size=8)
WILD = st.lists(st.builds(In, INTS, INTS, FLOATS, FLOATS, st.booleans(), TEXTS,
                          st.none() | INTS, st.none() | FLOATS), max_size=8)
DATA = st.lists(st.one_of(TAME, TAME, WILD), max_size=3).map(
    lambda parts: [item for part in parts for item in part])
SHAPES = ("map", "generator", "state")


@functools.cache
def program(shape: str, seed: int) -> Program:
    if shape == "map":
        return Program(ab.from_iterable([], In).map(map_function(seed), to=Out))
    return generating(generator_function(seed, shape == "state"), shape == "state")


def generating(function, state: bool) -> Program:
    source = ab.from_iterable([], In)
    if not state:
        return Program(source.flat_map(function, to=Out))
    function.__annotations__ = {"state": Memory}
    return Program(source.apply(ab.operator(by="s")(function), to=Out))


def check(shape: str, seed: int, examples: int) -> None:
    agree(program(shape, seed), examples)


def agree(tested: Program, examples: int) -> None:
    @settings(max_examples=examples, deadline=None,
              suppress_health_check=list(HealthCheck))
    @given(DATA)
    def agrees(items):
        tested.check(items)
    agrees()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES)
def test_tiers_agree(shape, seed):
    check(shape, seed, 15)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 108))
@pytest.mark.parametrize("shape", SHAPES)
def test_tiers_agree_on_more_functions(shape, seed):
    check(shape, seed, 25)


def test_most_random_functions_are_native():
    tiers = [program(shape, seed).kernel.tier for shape in SHAPES for seed in range(3)]
    assert tiers.count("native") >= 6


@functools.cache
def of_blocks(seed: int, state: bool) -> Program:
    return generating(block_function(seed, state), state)


@pytest.mark.parametrize("state", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_tiers_agree_on_variables_that_change(seed, state):
    agree(of_blocks(seed, state), 15)


@pytest.mark.slow
@pytest.mark.parametrize("state", [False, True])
@pytest.mark.parametrize("seed", range(100, 104))
def test_tiers_agree_on_more_variables_that_change(seed, state):
    agree(of_blocks(seed, state), 15)
