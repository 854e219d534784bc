"""What is started on the loopback address for a test, and stopped behind it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from anabranch.engine.spark.session.java import found_java
from connectors.parts import command, jars, python_of

PATIENCE = 120
BUCKET = "ledger"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextmanager
def running(words: list[str], folder: Path, is_up: Callable[[], bool], **options: object
            ) -> Iterator[subprocess.Popen]:
    """A process in a group of its own, once it is up; its words are in a file."""
    said = folder / f"{Path(words[0]).name}.log"
    with said.open("wb") as log:
        process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, start_new_session=True, **options)
    try:
        end = time.monotonic() + PATIENCE
        while not is_up():
            assert process.poll() is None and time.monotonic() < end, said.read_text()[-3000:]
            time.sleep(0.2)
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen) -> None:
    """The process and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def java(part: str, *words: str) -> list[str]:
    path = os.pathsep.join(map(str, jars(part)))
    return [found_java()[0], "-Xmx400m", "-cp", path, *words]


BROKER = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{inner}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{inner}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
num.partitions=3
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """Apache Kafka: one process that is broker and controller. Its address."""
    port, file = free_port(), folder / "server.properties"
    file.write_text(BROKER.format(port=port, inner=free_port(), folder=folder))
    subprocess.run(java("broker", "kafka.tools.StorageTool", "format", "-t", "A" * 22, "-c",
                        str(file)), check=True, capture_output=True)
    with running(java("broker", "kafka.Kafka", str(file)), folder, lambda: answers(port)):
        yield f"127.0.0.1:{port}"


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """PostgreSQL of this machine, over a new folder. The address of its database."""
    port, data, user = free_port(), folder / "data", {}
    if os.getuid() == 0:
        # The server refuses to run as root.
        folder.chmod(0o755)
        for parent in folder.parents[:3]:
            parent.chmod(parent.stat().st_mode | 0o055)
        user = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        os.chown(folder, _number("nobody"), -1)
    subprocess.run([command("initdb"), "--auth=trust", "--username=ann", "--no-sync", "-D",
                    str(data)], check=True, capture_output=True, **user)
    server = [command("postgres"), "-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", "",
              "-c", "fsync=off"]
    with running(server, folder, lambda: answers(port), **user):
        yield f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=ann"


def _number(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_uid


@contextmanager
def moto(folder: Path) -> Iterator[dict[str, str]]:
    """S3 as moto serves it, with an empty bucket: what `pyarrow.fs` is told of it."""
    from pyarrow.fs import S3FileSystem

    port = free_port()
    server = [python_of("moto"), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with running(server, folder, lambda: answers(port)):
        place = {"endpoint_override": f"http://127.0.0.1:{port}", "region": "us-east-1",
                 "access_key": "ann", "secret_key": "secret"}
        S3FileSystem(**place, allow_bucket_creation=True).create_dir(BUCKET)
        yield place


@contextmanager
def hdfs(folder: Path) -> Iterator[str]:
    """Hadoop's name node and data node. Their address."""
    port = free_port()
    words = java("hdfs", "org.apache.hadoop.mapreduce.MiniHadoopClusterManager", "-nomr",
                 "-nnport", str(port), "-nnhttpport", "0", "-format")
    with running(words, folder, lambda: answers(port)):
        yield f"hdfs://127.0.0.1:{port}"
