"""JSON documents as sources: the values of an array, or a single one.

A document is read as a whole, by one worker; JSON Lines are for what is large.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from anabranch.core.errors import DataError
from anabranch.io.files.sources import FileSource
from anabranch.io.formats import EXTENSIONS
from anabranch.io.rows import Row, decoded
from anabranch.io.text.lines import BYTE_ORDER_MARK
from anabranch.io.values.codecs import json_decoder
from anabranch.io.values.scalars import BadValue, json_text, parsed_json


@dataclass(frozen=True)
class JsonSource(FileSource):
    format = "json"
    extensions = EXTENSIONS["json"]

    def read(self, stream, file, order, rows, fixed=None):
        fixed = self.fixed(file) if fixed is None else fixed
        return decoded(_rows(stream.read(), file), json_decoder(self.type, fixed), order, rows)


def _rows(data: bytes, file: str) -> Iterator[Row]:
    found = _parsed(data, file)
    for number, value in enumerate(found if isinstance(found, list) else [found], 1):
        yield Row(file, number, json_text(value), value, "item")


def _parsed(data: bytes, file: str) -> object:
    try:
        return parsed_json(data.removeprefix(BYTE_ORDER_MARK).decode())
    except (BadValue, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        got = getattr(error, "got", None) or str(error)
        raise DataError("the file is not a JSON document", file, got=got,
                        help="of one value a line, read_jsonl reads it") from None
