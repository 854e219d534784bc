"""A Spark context: the one that is there, or a new one that the run stops.

What a master needs is checked before Java is started, which would say less about it. On Spark
Connect the engine is given a `ConnectContext` where it has a context otherwise.
"""

from __future__ import annotations

import logging
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from anabranch.core.errors import RunError, UsageError
from anabranch.engine.spark.session.java import HELP, quiet_java_home
from anabranch.engine.spark.session.reuse import check_local, staying
from anabranch.engine.spark.session.workers import package_there, with_variables

if TYPE_CHECKING:
    from pyspark import SparkContext

    from anabranch.engine.spark.session.connect import ConnectContext


DEFAULT_MASTER = "local[*]"

SETTINGS = {"spark.app.name": "anabranch", "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false"}
"""What a session of ours is given where the user has set nothing."""

LOCAL_SETTINGS = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


@contextmanager
def spark_context(master: str | None = None, session: object | None = None, keep: bool = False
                  ) -> Iterator[SparkContext | ConnectContext]:
    """The context of a session. One that was already there is used as it is, and left running;
    with `keep` the Java of a new one goes on for later runs."""
    from pyspark import SparkContext

    from anabranch.engine.spark.session.connect import connected, is_remote

    with ExitStack() as stack:
        if is_remote(master, session):
            yield stack.enter_context(connected(master, session))
            return
        forget_dead_java()
        context = SparkContext._active_spark_context if session is None else _context_of(session)
        if context is None:
            context = _started(master, stack if keep else None)
            stack.callback(_stop, context)
        elif master is not None and context.master != master:
            raise UsageError(f"a Spark session is already there, on {context.master}",
                             got=f"master {master}", help="stop it, or leave --master out")
        stack.enter_context(with_java(context, session))
        stack.enter_context(package_there(context))
        yield context


def active_context() -> SparkContext | None:
    """The context that is there, if any; none is started."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkContext

    forget_dead_java()
    return SparkContext._active_spark_context


@contextmanager
def with_java(context: SparkContext, session: object | None) -> Iterator[None]:
    """Whatever fails inside of it because Spark's Java has ended is one clear error."""
    loggers = [logging.getLogger(name) for name in (None, "py4j.clientserver")]
    for logger in loggers:
        logger.addFilter(_is_no_failed_call)
    try:
        yield
    except Exception:
        if is_alive(context):
            raise
        help = ("make a new session" if session is not None else
                "run it again; was the machine out of memory?")
        raise java_ended(help) from None
    finally:
        for logger in loggers:
            logger.removeFilter(_is_no_failed_call)


def _is_no_failed_call(record: logging.LogRecord) -> bool:
    """Py4J logs the traceback of each call between Java and Python that fails; we tell it."""
    return not str(record.msg).startswith(("Exception while sending command",
                                           "KeyboardInterrupt while sending command",
                                           "There was an exception while executing"))


def java_ended(help: str) -> RunError:
    return RunError("the Java process of Spark has ended, and the run with it", help=help)


def is_java_dead() -> bool:
    """Whether the Java process that PySpark knows has ended."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    return process is not None and process.poll() is not None


def is_alive(context: SparkContext) -> bool:
    """Whether the Java process of a context answers."""
    process = getattr(context._gateway, "proc", None)
    if process is not None and process.poll() is not None:
        return False
    try:
        context._jvm.java.lang.System.nanoTime()
    except Exception:
        # A process that was just killed may not be known as dead yet.
        return False
    return True


def forget_dead_java() -> None:
    """PySpark would go on with a Java process that has ended."""
    from pyspark import SparkContext

    if is_java_dead():
        SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None


def _stop(context: SparkContext) -> None:
    if is_alive(context):
        context.stop()
    forget_dead_java()


def _context_of(session: object) -> SparkContext:
    if not hasattr(session, "sparkContext"):
        raise UsageError("session is not a session of Spark", expected="a SparkSession",
                         got=f"a {type(session).__name__}",
                         help="SparkSession.builder.getOrCreate() gives the one that is there")
    return session.sparkContext


def _started(master: str | None, keeping: ExitStack | None = None) -> SparkContext:
    """A new session. What it needs of the environment is there only while it starts."""
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError

    from anabranch.engine.spark.session.connect import not_started

    chosen = user_settings()
    where = master or chosen.get("spark.master", DEFAULT_MASTER)
    check_master(where, chosen)
    if keeping is not None:
        check_local(where)
    settings = {k: v for k, v in _settings(master, chosen).items() if k not in chosen}
    if master is not None:
        settings["spark.master"] = master
    conf, before = SparkConf().setAll(settings.items()), dict(os.environ)
    with with_variables(os.environ, _wanted_environment(chosen)), _own_interrupts():
        try:
            gateway = keeping and keeping.enter_context(staying(conf, before))
            # A session is made around it only where one is needed: it takes as long again.
            return SparkContext(conf=conf, gateway=gateway)
        except PySparkRuntimeError as error:
            raise RunError("Spark could not be started", got=str(error), help=HELP) from None
        except Exception as error:
            if is_java_dead():
                raise java_ended("run it again; was the machine out of memory?") from None
            raise not_started(_root_cause(error)) from None


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Leaves Ctrl-C what it was. PySpark has it cancel all jobs, for good: also when the session is
    gone, and for whatever else runs beside it. Ours are cancelled when their session stops."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def _settings(master: str | None, chosen: dict[str, str]) -> dict[str, str]:
    where = master or chosen.get("spark.master", DEFAULT_MASTER)
    local = LOCAL_SETTINGS if where.startswith("local") else {}
    return SETTINGS | local | {"spark.master": where}


def _root_cause(error: Exception) -> str:
    cause = getattr(error, "java_exception", None)
    return str(cause.getMessage() if cause is not None else error)


def _wanted_environment(chosen: dict[str, str]) -> dict[str, str]:
    own_logging = not any((folder / "log4j2.properties").exists() for folder in _conf_folders())
    wanted = {"JAVA_HOME": quiet_java_home(own_logging)}
    if "PYSPARK_PYTHON" not in os.environ:
        wanted["PYSPARK_PYTHON"] = chosen.get("spark.pyspark.python", sys.executable)
    return wanted


def user_settings() -> dict[str, str]:
    """What the user has set in `spark-defaults.conf` and in `PYSPARK_SUBMIT_ARGS`."""
    settings: dict[str, str] = {}
    for folder in _conf_folders():
        file = folder / "spark-defaults.conf"
        if file.exists():
            settings |= dict(filter(None, map(_setting, file.read_text().splitlines())))
    for option, value in pairwise(_words(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))):
        if option == "--conf":
            settings |= dict([value.partition("=")[::2]])
        elif option == "--master":
            settings["spark.master"] = value
    return settings


def _words(arguments: str) -> list[str]:
    """Arguments with options and their values apart.

    >>> _words("--master=yarn --conf spark.ui.enabled=true")
    ['--master', 'yarn', '--conf', 'spark.ui.enabled=true']
    """
    return [part for word in shlex.split(arguments)
            for part in (word.split("=", 1) if word.startswith("--") else [word])]


def _setting(line: str) -> tuple[str, str] | None:
    """A line of a defaults file: a name and a value, apart by spaces or `=`.

    >>> _setting("spark.ui.enabled  true"), _setting("# nothing")
    (('spark.ui.enabled', 'true'), None)
    """
    name, _, value = line.strip().replace("=", " ", 1).partition(" ")
    return (name, value.strip()) if name.startswith("spark.") else None


def _conf_folders() -> list[Path]:
    own = os.environ.get("SPARK_CONF_DIR")
    home = os.environ.get("SPARK_HOME")
    return [Path(own)] if own else [Path(home, "conf")] if home else []


HADOOP = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
IMAGES = ("spark.kubernetes.container.image", "spark.kubernetes.executor.container.image")
SET = "in spark-defaults.conf, or with --conf in PYSPARK_SUBMIT_ARGS"


def check_master(master: str, settings: Mapping[str, str]) -> None:
    """Refuses a master that Spark could not find, or whose executors have nothing to run."""
    if master == "yarn" and not any(map(os.environ.get, HADOOP)):
        raise UsageError("where YARN is stands in Hadoop's settings, and nothing says where these "
                         "are", got="--master yarn",
                         expected=f"a folder named by {' or '.join(HADOOP)}")
    if master.startswith("k8s://") and not any(name in settings for name in IMAGES):
        raise UsageError("executors on Kubernetes need an image that has Spark and Python",
                         got=f"--master {master}", expected=f"{IMAGES[0]}, {SET}",
                         help="spark.pyspark.python, set there too, is the Python of the image")
