"""Golden files: what a sink gives, kept beside the test, and written when asked for."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from anabranch.core.errors import UsageError
from anabranch.core.source import Span, shown_path
from anabranch.io.binding import bind_sink
from anabranch.ir.types import Type
from anabranch.testing.comparison import Mismatch, compare

UPDATE = "ANABRANCH_UPDATE_GOLDEN"
"""The variable by which golden files are written instead of being compared."""


def compare_with_file(path: Path, sink: str, items: list, kind: Type, where: Span) -> None:
    """Compares items with a file, in the format that its name tells."""
    with TemporaryDirectory() as folder:
        written = Path(folder, path.name)
        writer = bind_sink(None, str(written)).open(kind)
        for item in items:
            writer.write(item)
        writer.commit()
        came = written.read_bytes()
    if os.environ.get(UPDATE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(came)
        return
    shown = shown_path(str(path))
    if not path.exists():
        raise UsageError(f"there is no golden file {shown}", where,
                         help="pytest --anabranch-update-golden writes it")
    expected = path.read_bytes()
    if came != expected:
        _differ(sink, expected, came, shown)


def _differ(sink: str, expected: bytes, came: bytes, shown: str) -> None:
    lines = [content.decode(errors="replace").splitlines() for content in (expected, came)]
    compare(sink, *lines, f"the sequential engine, next to {shown}")
    raise Mismatch(f"'{sink}' and {shown} have the same lines, and differ in their ends")
