"""One Spark session for all tests of a run; without Java it fails with what to install."""

import pytest

from anabranch.engine.spark.session import spark_context


@pytest.fixture(scope="session")
def spark():
    with spark_context("local[2]") as context:
        yield context
