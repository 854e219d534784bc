"""A local Spark that stays for the runs after this one: `--keep-spark`.

Java is left running, without a session, until nobody has used it for an hour. A run takes it if it
has the same folder, environment, Python and settings, as its workers have those of their Java, and
if no other run uses it at the time.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from anabranch.core.errors import RunError, UsageError
from anabranch.core.threads import start_beyond
from anabranch.kernels.folder import folder

if TYPE_CHECKING:
    from pyspark import SparkConf

MINUTES = 60
OF_A_TERMINAL = ("_", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "TERM", "WINDOWID", "PS1")
"""These variables change from command to command, and say nothing to a program."""

KEEPER = """while sleep 20; do
  test -n "$(find "$1" -mmin -$2)" && continue
  kill -0 "$(cat "$1.user")" && continue
  rm -f "$1" "$1.user"
  exit
done"""
"""Java ends with the last process that holds its input: this one, which looks whether a run has
touched the note in the last minutes, or is there still."""


class KeptJava(NamedTuple):
    """How to reach a Java that stays."""

    port: int
    secret: str
    process: int


@contextmanager
def staying(conf: SparkConf, environment: Mapping[str, str]) -> Iterator[object | None]:
    """The gateway to a Java that stays, started if there is none; None where another run has it."""
    from pyspark import SparkContext

    place = _place(conf, environment)
    with open(f"{place}.lock", "a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield None
            return
        Path(f"{place}.user").write_text(str(os.getpid()))
        gateway = _found(place)
        if gateway is None:
            gateway = _started(conf, place)
        else:
            os.utime(place)
        try:
            yield gateway
        finally:
            SparkContext._gateway = SparkContext._jvm = None
            with suppress(OSError):
                os.utime(place)


def check_local(master: str) -> None:
    if not master.startswith("local"):
        raise UsageError("--keep-spark is for a Spark of this machine", got=f"--master {master}",
                         help="a cluster is there anyway; leave the option out")


def _place(conf: SparkConf, environment: Mapping[str, str]) -> Path:
    import pyspark

    own = {name: value for name, value in environment.items() if name not in OF_A_TERMINAL}
    text = json.dumps([os.getcwd(), sys.executable, pyspark.__version__, sorted(conf.getAll()),
                       sorted(own.items())])
    return folder().parent / f"spark-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _found(place: Path) -> object | None:
    """The gateway to the Java of a note, if it still answers. A session that a killed run has left
    in it is stopped."""
    from pyspark.java_gateway import launch_gateway

    from anabranch.engine.spark.session.workers import with_variables

    try:
        note = KeptJava(*json.loads(place.read_text()))
        with with_variables(os.environ, {"PYSPARK_GATEWAY_PORT": str(note.port),
                                         "PYSPARK_GATEWAY_SECRET": note.secret}):
            gateway = launch_gateway()
        contexts = getattr(getattr(gateway.jvm.org.apache.spark, "SparkContext$"), "MODULE$")
        left = contexts.getActive()
        if left.isDefined():
            left.get().stop()
        return gateway
    except Exception:
        # Whatever it is, a new one is started.
        return None


def _started(conf: SparkConf, place: Path) -> object:
    from pyspark.java_gateway import launch_gateway

    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    gateway = launch_gateway(conf, quiet)
    java, gateway.proc = gateway.proc, None
    parameters = gateway.gateway_parameters
    note = KeptJava(parameters.port, parameters.auth_token, java.pid)
    # The name says who may connect, so nobody else may read it.
    number = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(number, "w") as out:
        json.dump(note, out)
    try:
        start_beyond(["/bin/sh", "-c", KEEPER, "keeper", str(place), str(MINUTES)], java.stdin)
    except OSError as error:
        raise RunError(f"Spark cannot be kept: {error}") from None
    finally:
        java.stdin.close()
    # Nobody waits for it, and Python is not to warn of it.
    java.returncode = 0
    return gateway
