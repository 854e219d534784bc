"""The applications of the papers give on Spark what they give sequentially."""

import pytest

from anabranch.engine import spark as engine_spark
from applications.language_examples import INPUTS, printed
from applications.programs import PROGRAMS, answer, items_of, plan_of

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
