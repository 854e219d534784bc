"""What tests share: golden files, which change only with `pytest --update-golden`, and Spark."""

import os
import signal
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_configure(config):
    # What one test has compiled must not change the tier of another, nor outlive it.
    os.environ.setdefault("ANABRANCH_COMPILE", "here")
    # A test run in the background is started with SIGINT ignored; some tests are about Ctrl-C.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_itemcollected(item):
    # Another session in another process would take as long again to start, and as much memory.
    if "spark" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.xdist_group("spark"))


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true",
                     help="write what the tests see into tests/golden instead of comparing")


@pytest.fixture
def golden(request):
    """Compares a text with a golden file: `golden("rewrite/fuse.txt", text)`."""
    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"no golden file {name}: run pytest --update-golden"
        assert text == path.read_text()
    return compare


@pytest.fixture(scope="session")
def spark():
    """One Spark session for all tests of a run; without Java it fails with what to install."""
    from anabranch.engine.spark.session import spark_context

    with spark_context("local[2]") as context:
        yield context
