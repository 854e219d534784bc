"""What a master needs to be told before Java is started, which would say less about it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from anabranch.errors import UsageError

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
