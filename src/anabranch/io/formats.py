"""Where items come from and go to, by format: a run imports those that it has.

What the extension of a name tells stands here too, as it is asked for before a format is chosen.
"""

from __future__ import annotations

from anabranch.core.lazy import Lazy
from anabranch.io.files.packing import with_compressed

arrow = Lazy("anabranch.io.arrow.files")
avro = Lazy("anabranch.io.avro.files")
csv = Lazy("anabranch.io.csv.files")
frames = Lazy("anabranch.io.dataframe.frames")
json = Lazy("anabranch.io.json.files")
jsonl = Lazy("anabranch.io.jsonl.files")
objects = Lazy("anabranch.io.python.objects")
parquet = Lazy("anabranch.io.parquet.files")
stdio = Lazy("anabranch.io.stdio")
tables = Lazy("anabranch.io.arrow.table")
text = Lazy("anabranch.io.text.files")

EXTENSIONS = {
    "csv": with_compressed((".csv",)), "jsonl": with_compressed((".jsonl", ".ndjson", ".json")),
    "parquet": (".parquet",), "text": with_compressed((".txt", ".log", ".text")),
    "json": with_compressed((".json",)), "arrow": (".arrow", ".feather", ".ipc"),
    "avro": (".avro",)}


def source_of(format: str) -> type:
    """The class of the sources of a format."""
    return {"csv": lambda: csv.CsvSource, "jsonl": lambda: jsonl.JsonlSource,
            "parquet": lambda: parquet.ParquetSource, "text": lambda: text.TextSource,
            "json": lambda: json.JsonSource, "arrow": lambda: arrow.ArrowFileSource,
            "avro": lambda: avro.AvroSource}[format]()


SINKS = ("csv", "jsonl", "parquet", "arrow", "avro")


def sink_of(format: str) -> type:
    """The class of the sinks of a format, which is one of `SINKS`."""
    return {"csv": lambda: csv.CsvSink, "jsonl": lambda: jsonl.JsonlSink,
            "parquet": lambda: parquet.ParquetSink, "arrow": lambda: arrow.ArrowFileSink,
            "avro": lambda: avro.AvroSink}[format]()
