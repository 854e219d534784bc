"""The examples in the other languages, and the first tutorial's, as commands with their data."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from anabranch.cli import commands
from applications.programs import EXAMPLES

DATA = EXAMPLES / "data"
INPUTS = {"balances.py": (), "bargains.cql": ("quotes", "history"),
          "linear_road.cql": ("PosSpeedStr=positions",),
          "log_analyzer.cql": ("queryLog=query_log",), "market_maker.river": ("bids", "asks")}


def printed(program: str, *options: str) -> str:
    """What the program prints over its data, with these options of the command line."""
    pairs = [text.partition("=") for text in INPUTS[program]]
    bound = [word for name, _, file in pairs
             for word in ("--input", f"{name}={DATA / (file or name)}.csv")]
    return printed_by(EXAMPLES / program, *bound, *options)


def printed_by(path: Path, *arguments: str) -> str:
    done = CliRunner().invoke(commands, ["run", str(path), *arguments])
    assert done.exit_code == 0, done.stderr
    return done.stdout
