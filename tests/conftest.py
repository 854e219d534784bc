"""What tests share: golden files, which change only with `pytest --update-golden`, Spark, and what
Hypothesis draws: the same examples every time, or new ones with `--hypothesis-profile fuzz`."""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

GOLDEN = Path(__file__).parent / "golden"

# Nothing here depends on the clock: how fast a machine draws examples is no failure.
settings.register_profile("steady", derandomize=True, database=None, deadline=None, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", settings.get_profile("steady"), derandomize=False,
                          database=None)
settings.load_profile("steady")

# Hypothesis draws constants of the modules that happen to be imported, so that what a test draws
# would depend on the tests before it.
assert callable(providers._get_local_constants)
providers._get_local_constants = Constants


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


def pytest_collection_finish():
    # Seventeen thousand tests are some hundred megabytes of objects that stay. A garbage
    # collection in a test would go through all of them.
    set_aside()


def pytest_runtest_teardown(item, nextitem):
    # Neither what a module of tests leaves in caches.
    if nextitem is None or nextitem.path != item.path:
        set_aside()


def set_aside():
    """Leaves all objects that are there now out of later garbage collections."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    # They fetch jars, and start brokers: only who asks for them gets them.
    if "connectors" not in (config.getoption("-m") or ""):
        ours = [item for item in items if item.get_closest_marker("connectors")]
        if ours:
            config.hook.pytest_deselected(items=ours)
            items[:] = [item for item in items if item not in set(ours)]


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
    from anabranch.engine.spark.session.context import spark_context

    with spark_context("local[2]") as context:
        yield context
