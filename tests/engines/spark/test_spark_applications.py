"""The applications of the papers give on Spark what they give sequentially."""

import pytest

from anabranch.engine import spark as engine_spark
from applications.language_examples import INPUTS, printed, printed_by
from applications.programs import EXAMPLES, PROGRAMS, answer, items_of, plan_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

# Fewer rows than by default, where a program has a size: jobs on Spark take long enough.
SMALL = {"rows": "1500"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_spark_gives_the_sequential_items(spark, name):
    given = {} if name == "pagerank" else SMALL
    plan, out = plan_of(name, **given), []
    engine_spark.run(plan, items_of(plan), lambda op, item: out.append(item))
    assert list(map(repr, out)) == list(map(repr, answer(name, **given)))
    assert out


@pytest.mark.parametrize("program", INPUTS)
def test_spark_prints_what_sequential_prints(spark, program):
    assert printed(program, "--engine", "spark") == printed(program, "--engine", "sequential")


@pytest.fixture
def lines(tmp_path):
    """A query log: a server, where the query came from, where it was answered."""
    path = tmp_path / "log.csv"
    path.write_text("".join(f"s{n % 9},{n % 7},{n % 5},{n % 3},{n % 2}\n" for n in range(2000)))
    return path


def test_the_query_log_analyzer_in_sawzall_counts_the_same(spark, lines):
    def counted(engine: str) -> str:
        return printed_by(EXAMPLES / "log_analyzer.szl", str(lines), "--table-output", "--engine",
                          engine)
    assert counted("spark") == counted("sequential") != ""


def test_fm_radio_sounds_the_same(spark):
    def heard(engine: str) -> str:
        return printed_by(EXAMPLES / "streamit" / "fm_radio.str", "--iterations", "20", "--engine",
                          engine)
    assert heard("spark") == heard("sequential") != ""
