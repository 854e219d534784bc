"""Whole programs as they are written elsewhere, run from the command line, and what they print.

A block of `scripts.txt` is a program with its inputs. The queries of `auctions.txt` are over the
declarations and the inputs of its first block, of which each reads only some.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from anabranch.cli import commands

HERE = Path(__file__).parent


def blocks(name: str) -> list[str]:
    return (HERE / name).read_text().rstrip("\n").split("\n%%\n")


def printed(program: str, inputs: list[str], engine: str, folder: Path) -> str:
    """What a program prints; each input is its name, and its rows."""
    (folder / "program.cql").write_text(program)
    arguments = ["run", str(folder / "program.cql"), "--engine", engine]
    for name, rows in (each.split("\n", 1) for each in inputs):
        path = folder / f"{name}.csv"
        path.write_text(f"{rows.strip()}\n")
        arguments += ["--input", f"{name}={path}"]
    done = CliRunner().invoke(commands, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_scripts(golden, tmp_path, engine):
    shown = []
    for block in blocks("scripts.txt"):
        program, *inputs = block.split("\n--- ")
        shown.append(f"{program}\n=>\n{printed(program, inputs, engine, tmp_path)}")
    golden("lang/cql_scripts.txt", "\n".join(shown))


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_auctions(golden, tmp_path, engine):
    first, *queries = blocks("auctions.txt")
    declared, *inputs = first.split("\n--- ")
    found = [printed(declared + query, inputs, engine, tmp_path) for query in queries]
    golden("lang/cql_auctions.txt",
           "\n".join(f"{query}\n=>\n{rows}" for query, rows in zip(queries, found)))


@pytest.mark.parametrize("given", ["bid", "BID"])
def test_an_input_is_named_in_any_case(tmp_path, given):
    rows = f"{given}\ntimestamp,a\n1,2\n"
    assert printed("Bid : {int a} stream; select a from bid;", [rows], "sequential", tmp_path) == (
        "timestamp,a\n1,2\n")
