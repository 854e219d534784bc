"""Masters that are no part of this machine: what a session there is given, and what is refused."""

from __future__ import annotations

import os
import zipfile
from itertools import count, cycle, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

import anabranch as ab
from anabranch.core.errors import UsageError
from anabranch.engine.spark.session import context as session
from anabranch.engine.spark.session.context import check_master
from anabranch.engine.spark.session.workers import package_there


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME",
                 "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)


def test_yarn_needs_the_settings_of_hadoop(monkeypatch):
    with pytest.raises(UsageError, match="where YARN is") as caught:
        check_master("yarn", {})
    assert "HADOOP_CONF_DIR or YARN_CONF_DIR" in str(caught.value)
    monkeypatch.setenv("YARN_CONF_DIR", "/etc/hadoop")
    check_master("yarn", {})


def test_kubernetes_needs_an_image():
    with pytest.raises(UsageError, match="an image that has Spark and Python") as caught:
        check_master("k8s://https://host:6443", {})
    assert "spark.kubernetes.container.image" in str(caught.value)
    check_master("k8s://https://host:6443", {"spark.kubernetes.container.image": "one"})


@pytest.mark.parametrize("master", ["local[2]", "spark://host:7077", "local-cluster[2,1,1024]"])
def test_other_masters_need_nothing(master):
    check_master(master, {})


def test_it_is_refused_before_java_starts(monkeypatch):
    monkeypatch.setattr(session, "quiet_java_home", None)
    with pytest.raises(UsageError, match="where YARN is"):
        session._started("yarn")


@pytest.mark.parametrize("master", ["yarn", "k8s://https://host:6443"])
def test_a_cluster_is_given_no_loopback_and_the_whole_package(tmp_path, master):
    settings = session._settings(master, {})
    assert settings == session.SETTINGS | {"spark.master": master}
    with package_there(session_on(master, tmp_path, [])):
        (archive,) = tmp_path.iterdir()
        sent = zipfile.ZipFile(archive).namelist()
    assert "anabranch/engine/spark/job/tasks.py" in sent
    assert not [name for name in sent if name.endswith(".pyc")]


def session_on(master: str, folder: Path, added: list[str]) -> SimpleNamespace:
    """What a session does with archives: their names are known from then on."""
    names: list[str] = []

    def add(archive: str) -> None:
        assert os.path.basename(archive) not in names, "already registered with a different path"
        names.append(os.path.basename(archive))
        added.append(archive)
    return SimpleNamespace(master=master, addPyFile=add, _temp_dir=str(folder),
                           _python_includes=names)


def test_a_session_is_sent_the_package_once_and_keeps_it(tmp_path):
    added: list[str] = []
    context = session_on("spark://host:7077", tmp_path, added)
    for _ in range(3):
        with package_there(context):
            pass
    assert len(added) == 1 and os.path.dirname(added[0]) == str(tmp_path)
    assert os.path.exists(added[0])


@pytest.mark.parametrize("items", [count(), cycle([1]), repeat(1)])
def test_a_source_that_never_ends(items):
    endless = ab.from_iterable(items, int)
    with pytest.raises(UsageError, match="does not run a source that never ends") as caught:
        endless.collect_into([]).run(engine="spark")
    assert "--limit N" in str(caught.value) and "from_iterable(items, int)" in str(caught.value)
