"""What is emitted: printed as it comes, or aggregated and printed at the end."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.lang.sawzall.library import folds, samples
from anabranch.lang.sawzall.library import samples as bootstraps
from anabranch.lang.sawzall.library import samples as estimates
from lang.sawzall.szl import both, lines_in, ran

EMITTED = [
    ("table collection of bool", "true", "emit t <- true;"),
    ("table collection of bytes", r'B"\x01\xff"', "emit t <- bytes({1, -1});"),
    ("table collection of fingerprint", "255P", "emit t <- 0x00000000000000ffP;"),
    ("table collection of float", "2.0", "emit t <- 2.0;"),
    ("table collection of float", "1e100", "emit t <- 1e+100;"),
    ("table collection of string", r'"a\"\t\001b日"', r'emit t <- "a\"\t\x1\x62日";'),
    ("table collection of time", "4T", "emit t <- 4T;"),
    ("table collection of uint", "7U", "emit t <- 7;"),
    ("table collection of array of int", "{1, 2}", "emit t <- {1, 2};"),
    ("table collection of map[string] of int", '{"a": 1}', 'emit t <- {"a": 1};'),
    ("table collection of map[string] of int", "{:}", "emit t <- {:};"),
    ("table collection of {string, {float, time}}", '{"h", {0.0, 77T}}',
     'emit t <- {"h", {0.0, 77T}};'),
    ("table sum of string", '"even this"', 'emit t <- "even this";'),
    ("table text of string", '"line"', 'emit t <- "line";'),
    ('table collection of e: int format("*%d*", e)', "1", 'emit t <- "*1*";'),
]


@pytest.mark.parametrize("kind, value, line", EMITTED)
def test_emissions_are_printed_as_they_come(kind, value, line):
    assert ran(f"t: {kind}; emit t <- {value};") == f"{line}\n"


def test_keys_and_weights_are_printed():
    text = """o: table top(10)[int][{string, int}] of string weight float;
              emit o[4][{"hel\tlo", 4}] <- "you" weight 3.5;"""
    assert ran(text) == 'emit o[4][{"hel\\tlo", 4}] <- "you" weight 3.5;\n'


def test_streams_are_written_as_they_are():
    text = r"""emit stdout <- "out"; emit stderr <- "err"; emit output <- B"raw\n";
               t: table collection[s: string] of i: int file("/dev/std%s", s) format("i=%d\n", i);
               emit t["out"] <- 1; emit t["err"] <- 2;"""
    assert both(text) == ("out\nraw\ni=1\n", "err\ni=2\n")
    assert both(text, table_output=True) == ("out\nraw\ni=1\n", "err\ni=2\n")


AGGREGATED = """
    s: table sum[string][int] of int; f: table sum of {int, float};
    c: table collection[bool] of int;
    d: table set(3)[int] of string; x: table maximum(2) of string weight int;
    n: table minimum(1)[string] of int weight float; p: table top(2) of string weight int;
    q: table quantile(5) of int; u: table unique(10) of int; g: table sample(100) of int;
    m: table sum of map[string] of int; e: table sum[float] of int;
    for (i := 0; i < 20; i++) {
      emit s["k"][i % 2] <- i; emit f <- {1, float(i)}; emit c[i > 17] <- i;
      emit d[i % 2] <- string(i % (4 + i % 2 * 2)); emit x <- string(i) weight i % 5;
      emit n["z"] <- i weight -float(i); emit p <- string(i % 3) weight i; emit q <- i;
      emit u <- i % 9; if (i > 16) emit g <- i; emit m <- {string(i % 2): i}; }
    emit stdout <- "done";
"""
LINES = ["done", "s[k, 0] = 90", "s[k, 1] = 100", "f[] = 20, 190",
         *(f"c[false] = {i}" for i in range(18)), "c[true] = 18", "c[true] = 19",
         "d[0] = 0", "d[0] = 2", "d[1] = 1", "d[1] = 3", "d[1] = 5",
         "x[] = 14, 4", "x[] = 19, 4", "n[z] = 19, -19", "p[] = 1, 70, 0", "p[] = 0, 63, 0",
         "q[] = 0", "q[] = 4", "q[] = 9", "q[] = 14", "q[] = 19", "u[] = 9",
         "g[] = 17", "g[] = 18", "g[] = 19", "m[] = { 0: 90, 1: 100 }"]


def test_tables_are_aggregated_in_key_order():
    assert ran(AGGREGATED, table_output=True).splitlines() == LINES


WEIGHTED = """
    d: table distinctsample(4)[string] of string weight int;
    h: table inversehistogram(5) of string weight int;
    w: table weightedsample(3)[int] of string weight float;
    b: table bootstrapsum(3) of {int, float} weight fingerprint;
    words: array of string = {"every", "good", "boy", "does", "every"};
    when (i: each int; def(words[i])) {
      emit d["en"] <- words[i] weight 1; emit h <- words[i] weight 1; }
    emit w[1] <- "less" weight -1.0; emit w[1] <- "none" weight 0.0;
    emit w[1] <- "nan" weight nan; emit w[1] <- "all" weight inf;
    emit b <- {5, 0.5} weight 12345P;
"""
WEIGHTED_LINES = [
    "d[en] = boy, 1", "d[en] = does, 1", "d[en] = every, 2", "d[en] = good, 1",
    "h[] = 0, 4", "h[] = 1, 0.75", "h[] = 2, 0.25", "w[1] = all, 0",
    "b[] = 5, 0.5", "b[] = 0, 0", "b[] = 0, 0"]


def test_weighted_samples_are_aggregated():
    assert ran(WEIGHTED, table_output=True).splitlines() == WEIGHTED_LINES


@pytest.mark.parametrize("kind, shown", [
    ("maximum(0)", ["t[] = "]), ("minimum(0)", ["t[] = "]), ("distinctsample(0)", ["t[] = "]),
    ("inversehistogram(0)", ["t[] = 0, 0"]), ("top(0)", []), ("weightedsample(0)", [])])
def test_tables_of_size_0(kind, shown):
    text = f"t: table {kind} of int weight int; emit t <- 1 weight 1;"
    assert ran(text, table_output=True).splitlines() == shown


def test_tuples_in_maps_and_arrays_have_braces():
    text = """t: table sum[{int, {string, int}}] of map[string] of {int, float};
              c: table collection of array of {int, {int, int}};
              emit t[{1, {"k", 2}}] <- {"a": {1, 0.5}}; emit c <- {{1, {2, 3}}};"""
    assert ran(text, table_output=True) == \
        "t[1, k, 2] = { a: { 1, 0.5 } }\nc[] = { { 1, 2, 3 } }\n"


def test_bootstraps_agree_with_the_sum_on_average():
    sums = folds_of_bootstraps(2_000)
    assert sums[0] == 20 and abs(sum(sums[1:]) / len(sums[1:]) - 20) < 1


def folds_of_bootstraps(size: int) -> list:
    fold = bootstraps.BootstrapSum(size)
    for i in range(10):
        fold.add(2, i)
    return [row[0] for row in fold.rows()]


def test_more_values_than_a_set_holds_are_none():
    text = """t: table set(2)[int] of int;
              for (i := 0; i < 3; i++) { emit t[0] <- i; emit t[1] <- 1; }"""
    assert ran(text, table_output=True) == "t[1] = 1\n"


def test_top_words_of_a_file(tmp_path):
    path = lines_in(tmp_path, "abc,1", "def,3", "ghi,3", "jkl,5", "def,3", "mno,0")
    text = """topwords: table top(3) of word: string weight count: int;
              fields: array of bytes = splitcsvline(input); w: string = string(fields[0]);
              c: int = int(string(fields[1]), 10); if (c != 0) { emit topwords <- w weight c; }"""
    assert ran(text, (path,), table_output=True) == \
        "topwords[] = def, 6, 0\ntopwords[] = jkl, 5, 0\ntopwords[] = ghi, 3, 0\n"


def test_the_first_program_of_the_paper(tmp_path):
    path = lines_in(tmp_path, "1.5", "2", "-0.5")
    text = """count: table sum of int; total: table sum of float;
              sum_of_squares: table sum of float; x: float = input;
              emit count <- 1; emit total <- x; emit sum_of_squares <- x * x;"""
    assert ran(text, (path,), table_output=True) == \
        "count[] = 3\ntotal[] = 3\nsum_of_squares[] = 6.5\n"


FOLDS = [folds.Sum, folds.Distinct, folds.Maximum, folds.Minimum, folds.Top, estimates.Quantile,
         estimates.Sample, estimates.Unique, samples.DistinctSample, samples.InverseHistogram,
         samples.WeightedSample]


@pytest.mark.parametrize("fold", FOLDS)
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.floats(-1e9, 1e9)), min_size=1), st.data())
def test_folds_do_not_depend_on_order_or_parts(fold, values, data):
    whole, parts = fold(7), [fold(7) for _ in range(3)]
    for value, weight in values:
        whole.add(value, weight)
    for value, weight in data.draw(st.permutations(values)):
        data.draw(st.sampled_from(parts)).add(value, weight)
    used = [p for p in parts if list(p.__dict__.values()) != list(fold(7).__dict__.values())]
    first, *rest = used or parts
    for part in rest:
        first.join(part)
    assert list(first.rows()) == list(whole.rows())


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 9)), min_size=1), st.data())
def test_bootstraps_do_not_depend_on_order_or_parts(values, data):
    whole, parts = bootstraps.BootstrapSum(4), [bootstraps.BootstrapSum(4) for _ in range(2)]
    for value, weight in values:
        whole.add(value, weight)
    for value, weight in data.draw(st.permutations(values)):
        data.draw(st.sampled_from(parts)).add(value, weight)
    parts[0].join(parts[1])
    assert list(parts[0].rows()) == list(whole.rows())


def test_sums_of_floats_are_exact():
    total = folds.Sum()
    for value in [1e16, 1.0, -1e16, 0.1] * 10:
        total.add(value, None)
    assert list(total.rows()) == [(math.fsum([1.0, 0.1] * 10),)]


def test_unique_estimates_within_its_error():
    fold = estimates.Unique(1000)
    for i in range(50_000):
        fold.add(i, None)
    [(estimate,)] = fold.rows()
    assert abs(estimate - 50_000) < 50_000 * 5 / math.sqrt(998)
