"""A few random data files, and those that were read wrongly once."""

from __future__ import annotations

import pytest

from fuzz.data_files import Case, One, problem, random_case

ROW = b'{"name": null}\n'
BLANKS = (b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", b"\x1f", b"\xc2\x85", b"\xc2\xa0",
          b"\xe2\x80\xa8", b"\xe3\x80\x80", b"\x00", b"\xff", b"\xef\xbb\xbf", b" \x0c ", b"", b" ",
          b"\t\r", b"\r", b"\xef\xbb\xbf\xef\xbb\xbf", b'{"name":', b"{} {}", b'{"name": 1}')


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_random_files(start):
    found = {seed: problem(random_case(seed)) for seed in range(start, start + 10)}
    assert found == dict.fromkeys(found)


@pytest.mark.parametrize("data", [
    text for blank in BLANKS for text in (ROW + blank, blank + b"\n" + ROW, ROW + blank + b"\n")],
    ids=repr)
def test_lines_that_look_blank_are_not_lost(data):
    assert problem(Case("jsonl", One, data)) is None


FOUND: list[Case] = []


@pytest.mark.parametrize("case", FOUND, ids=repr)
def test_files_that_were_read_wrongly(case):
    assert problem(case) is None
