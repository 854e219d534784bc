"""The Python of the pages about connectors, over the real ones: blocks that say `over=NAME`."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from connectors import services
from connectors.driver import SETTINGS
from connectors.parts import ROOT, jars, python_of
from connectors.places import Delta, Iceberg, Kafka, Place

pytestmark = pytest.mark.connectors
BLOCK = re.compile(r"^```python over=(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

SESSION = """from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[2]").config(map={settings!r}).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
"""


def blocks(page: str, over: str) -> list[str]:
    return [text for name, text in BLOCK.findall((ROOT / "docs" / page).read_text())
            if name == over]


def run_page(page: str, place: Place, spark: str, folder: Path, **places: str) -> None:
    texts = blocks(page, type(place).__name__.lower())
    assert texts
    text = "\n\n".join([SESSION.format(settings={**SETTINGS, **place.settings()}), *texts])
    for shown, real in places.items():
        assert shown in text
        text = text.replace(shown, real)
    script, python = folder / "page.py", python_of(f"spark-{spark}")
    script.write_text(text)
    done = subprocess.run([python, str(script)], cwd=folder, capture_output=True, text=True,
                          timeout=600, env={**os.environ, "PYSPARK_PYTHON": python,
                                            "PYTHONPATH": str(ROOT / "src")})
    assert done.returncode == 0, done.stderr[-5000:]


def listed(part: str) -> str:
    return ",".join(map(str, jars(part)))


def test_kafka(tmp_path):
    with services.broker(tmp_path) as servers:
        place = Kafka(str(tmp_path), listed("kafka"), servers)
        run_page("kafka.md", place, "4.2", tmp_path, **{"broker:9092": servers})


def test_delta(tmp_path):
    run_page("tables.md", Delta(str(tmp_path), listed("delta")), "4.2", tmp_path)


def test_iceberg(tmp_path):
    run_page("tables.md", Iceberg(str(tmp_path), listed("iceberg")), "4.1", tmp_path)
