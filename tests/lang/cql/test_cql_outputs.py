"""Several results on standard output follow each other, on every engine."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from anabranch.cli import commands

PROGRAM = """
S := {int a} stream;
register query everything as select a from S;
select a, count(*) from S [rows 3] group by a;
register query doubled as select a * 2 as b from S;
"""


def lines(tmp_path, *options: str, engine: str = "sequential") -> list[str]:
    (tmp_path / "p.cql").write_text(PROGRAM)
    rows = "".join(f"{i},{i % 3}\n" for i in range(50))
    (tmp_path / "s.csv").write_text(f"timestamp,a\n{rows}")
    done = CliRunner().invoke(commands, ["run", str(tmp_path / "p.cql"), "--input",
                                         f"S={tmp_path}/s.csv", "--engine", engine, *options])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_results_follow_each_other(tmp_path, engine):
    found = lines(tmp_path, engine=engine)
    heads = [i for i, line in enumerate(found) if line.startswith("timestamp")]
    assert [found[i] for i in heads] == ["timestamp,a", "timestamp,op,a,count", "timestamp,b"]
    assert found[heads[0] + 1:heads[1]] == [f"{i},{i % 3}" for i in range(50)]
    assert found[heads[2] + 1:] == [f"{i},{i % 3 * 2}" for i in range(50)]
    assert found == lines(tmp_path)


def test_a_result_in_a_file_is_not_on_standard_output(tmp_path):
    found = lines(tmp_path, "--output", f"everything={tmp_path}/all.csv")
    assert found[0] == "timestamp,op,a,count"
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 51
