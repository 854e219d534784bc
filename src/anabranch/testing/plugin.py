"""The plug-in for pytest: which engines a test is to try, golden files, a clock."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from anabranch.testing.clock import Clock


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("anabranch", "stream programs")
    group.addoption("--anabranch-engines", metavar="NAME,...",
                    help="the engines of the fixture anabranch_engines: all that are installed, "
                         "if nothing is said")
    group.addoption("--anabranch-update-golden", action="store_true",
                    help="write what checks see into their golden files instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--anabranch-update-golden"):
        from anabranch.testing.golden import UPDATE

        os.environ[UPDATE] = "1"
        config.add_cleanup(lambda: os.environ.pop(UPDATE, None))


@pytest.fixture(scope="session")
def anabranch_engines(pytestconfig: pytest.Config) -> tuple[str, ...]:
    """The engines to try: those of `--anabranch-engines`, or all that are installed."""
    from anabranch.core.errors import did_you_mean
    from anabranch.engine.run import ENGINES
    from anabranch.testing.engines import installed

    asked = pytestconfig.getoption("--anabranch-engines")
    if asked is None:
        return installed()
    names = tuple(name.strip() for name in asked.split(",") if name.strip())
    for name in names:
        if name not in ENGINES:
            raise pytest.UsageError(f"--anabranch-engines: no engine is called '{name}': "
                                    f"{did_you_mean(name, ENGINES)}")
    return names


@pytest.fixture
def anabranch_clock() -> Clock:
    """A clock that stands at 0 until the test moves it."""
    from anabranch.testing.clock import Clock

    return Clock()
