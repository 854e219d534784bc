"""PySpark and its versions: what has to be installed, and what a feature needs.

>>> number("4.3.0"), number("4.2.0.dev1")
((4, 3), (4, 2))
"""

from __future__ import annotations

import re
from importlib import import_module

from anabranch.core.errors import UsageError
from anabranch.core.extras import advice
from anabranch.core.source import Span

OLDEST = (4, 0)
OTHERWISE = "--engine multicore (engine=\"multicore\" in Python) runs here as it is"


def check_installed() -> None:
    """Refuses to go on without a PySpark that is new enough."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise UsageError("the spark engine, which runs what names no other, needs PySpark",
                         got=str(error), help=f"{advice(error.name)}; {OTHERWISE}") from None
    check_version("the spark engine", OLDEST)


def check_version(feature: str, oldest: tuple[int, int], server: str | None = None) -> None:
    """Refuses a feature on a Spark that is too old for it, here or on a server."""
    from pyspark import __version__

    for place, version in (("PySpark", __version__), ("a server with Spark", server)):
        if version is not None and number(version) < oldest:
            wanted = ".".join(map(str, oldest))
            raise UsageError(f"{feature} needs Spark {wanted} or newer", got=f"{place} {version}",
                             help=f"pip install 'pyspark>={wanted}'; {OTHERWISE}")


def check_module(feature: str, name: str, where: Span | None = None) -> None:
    """Refuses a feature for which Spark needs another package."""
    try:
        import_module(name)
    except ImportError as error:
        raise UsageError(f"{feature}: Spark needs more packages for it", where, got=str(error),
                         help=advice(name)) from None


def number(version: str) -> tuple[int, int]:
    major, minor = re.match(r"(\d+)\.(\d+)", version).groups()
    return int(major), int(minor)
