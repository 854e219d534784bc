"""Programs over DataFrames give the sequential engine's sequence, sorted by the order column."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from engines.spark.framed import frame_outputs, has_frames
from program_cases import CASES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

FRAMED = [case for case in CASES if has_frames(case.build().graph())]


@pytest.fixture(scope="module")
def session(spark):
    made = SparkSession(spark).newSession()
    made.conf.set("spark.sql.shuffle.partitions", "3")
    # Rows of one source tuple, and of one key, come in several batches.
    made.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "3")
    return made


@pytest.mark.parametrize("case", FRAMED, ids=lambda case: case.name)
def test_case(session, case):
    outputs, error = frame_outputs(session, case.build().graph())
    assert (error, *outputs.values()) == (None, case.expected)
