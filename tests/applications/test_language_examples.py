"""The examples in the other languages print the same on every engine, and all are in the docs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from anabranch import noise
from applications.language_examples import INPUTS, printed, printed_by
from applications.programs import EXAMPLES

ENGINES = [("--engine", "multicore", "--workers", "1"), ("--engine", "multicore", "--workers", "2")]
# The command `make demo`, and the parts of other programs.
NO_APPLICATIONS = {"demo.py", "market_maker.py", "retail/shop.py"}
WRITTEN_FOR_USERS = {"project", "tutorial"}  # by `anabranch init` and `anabranch tutorial`


@pytest.mark.parametrize("options", ENGINES, ids=lambda options: options[-1])
@pytest.mark.parametrize("program", INPUTS)
def test_multicore_prints_what_sequential_prints(program, options):
    expected = printed(program, "--engine", "sequential")
    assert expected and printed(program, *options) == expected


def query_log(path: Path) -> list[tuple[int, ...]]:
    """Lines with the places of a query and of its answer; their places."""
    places = [tuple(noise(n, seed) % 5 for seed in range(4)) for n in range(500)]
    path.write_text("".join(f"s{n},{','.join(map(str, p))}\n" for n, p in enumerate(places)))
    return places


@pytest.mark.parametrize("options", [("--engine", "sequential"), *ENGINES],
                         ids=lambda options: options[-1])
def test_the_query_log_analyzer_counts_places(options, tmp_path):
    places = query_log(tmp_path / "log.csv")
    text = printed_by(EXAMPLES / "log_analyzer.szl", str(tmp_path / "log.csv"), "--table-output",
                      *options)
    told = [line.split(" = ") for line in text.splitlines()]
    for name, of in (("queryOrigins", slice(0, 2)), ("queryTargets", slice(2, 4))):
        counts = Counter(p[of] for p in places)
        assert {key: int(count) for key, count in told if key.startswith(name)} == {
            f"{name}[{lat}, {lon}]": n for (lat, lon), n in counts.items()}


def test_every_application_is_in_the_document():
    document = (EXAMPLES.parent / "docs" / "applications.md").read_text()
    files = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*")
             if path.suffix in (".py", ".river", ".cql", ".szl", ".str", ".spl")
             and path.relative_to(EXAMPLES).parts[0] not in WRITTEN_FOR_USERS}
    assert {file for file in files - NO_APPLICATIONS if f"../examples/{file})" not in document} \
        == set()
