"""Sessions of Spark Connect: the user's, or one of ours that is stopped at the end of the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from anabranch.engine.spark.connect import Connected
from anabranch.engine.spark.package import archived
from anabranch.errors import RunError, UsageError


def is_remote(master: str | None, session: object | None) -> bool:
    """Whether a run is to go to a server of Spark Connect."""
    return _is_connect(session) or (master or "").startswith("sc://")


def _is_connect(session: object | None) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")


@contextmanager
def connected(master: str | None, session: object | None) -> Iterator[Connected]:
    """A session, for which this package has been sent to the server."""
    with ExitStack() as stack:
        if session is None:
            session = _opened(master)
            stack.callback(session.stop)
        archive = stack.enter_context(archived())
        with _reachable():
            session.addArtifacts(archive, pyfile=True)
        yield Connected(session)


def _opened(master: str) -> object:
    from pyspark.sql import SparkSession

    with _reachable():
        return SparkSession.builder.remote(master).create()


@contextmanager
def _reachable() -> Iterator[None]:
    """Our errors where the server is not there, or what is needed on this side."""
    from pyspark.errors import PySparkImportError

    try:
        yield
    except PySparkImportError as error:
        raise UsageError("Spark Connect needs more packages", got=str(error),
                         help="pip install 'anabranch[connect]'") from None
    except Exception as error:
        raise not_started(str(error)) from None


def not_started(why: str) -> RunError:
    return RunError("Spark could not be started", got=why,
                    help="is the master there, and its address right?")
