"""The state that a stream has kept, as plain values.

No class of the program is needed, and nothing of it runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, time
from typing import TYPE_CHECKING, NamedTuple

from anabranch.batch.value_codec import decode
from anabranch.core.errors import RunError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


STORE = "spark.sql.streaming.stateStore"
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
"""The store that keeps the state of queries over DataFrames."""


class KeptState(NamedTuple):
    """The state of an operator for a key, or without keys."""

    operator: str
    key: object
    state: object


def is_of_query(path: str) -> bool:
    """Whether the folder is the checkpoint of a query of Structured Streaming."""
    return "://" in path or not os.path.exists(os.path.join(path, "program"))


def kept_by_stream(path: str) -> Iterator[KeptState]:
    """What a stream of `run(stream=True)` has kept."""
    from anabranch.engine.spark.stream.checkpoint import at_rest, program_of
    from anabranch.engine.spark.stream.pages import ROWS
    from anabranch.engine.spark.stream.state import page_of
    from anabranch.engine.spark.stream.upgrade import Saved

    with at_rest(path) as opened:
        known, manifest = program_of(opened.folder), opened.latest()
        if "variables" not in known:
            raise UsageError("the checkpoint was begun by an older version, whose state cannot be "
                             "shown", path)
        saved = Saved.of(manifest.of or known)
        fields = {name: list(kinds) for name, kinds in saved.states.items()}
        for place, chain in sorted(manifest.chains.items()):
            owners = saved.owners(place[0])
            pages = [page_of(os.path.join(opened.state, volume), place) for volume in chain.volumes]
            if any(page[:1] != ROWS for page in pages):
                raise RunError(f"the state of {', '.join(owners)} is as compiled functions have "
                               "it, and cannot be shown", path)
            yield from latest(owners, pages, fields)


def kept_by_query(session: SparkSession, path: str) -> Iterator[KeptState]:
    """What a query over DataFrames has kept in Spark's state store."""
    for operator in _operators(session, path):
        def rows(variable: str, number: int = operator) -> list:
            return session.read.format("statestore").option("operatorId", number).option(
                "stateVarName", variable).load(path).collect()
        heads = {row.key[0]: json.loads(row.value.about) for row in rows("head")}
        pages: dict[tuple, list[bytes]] = {}
        for row in rows("pages"):
            page = row.list_element
            pages.setdefault((row.key[0], page.stage), []).append(bytes(page.page))
        yield from _in_buckets(heads, pages)


def notes_of_query(session: SparkSession, path: str) -> Iterator[dict]:
    """What is noted beside the state of each bucket of a query over DataFrames."""
    for operator in _operators(session, path):
        rows = session.read.format("statestore").option("operatorId", operator).option(
            "stateVarName", "head").load(path)
        yield from (json.loads(row.value.about) for row in rows.select("value").collect())


def _operators(session: SparkSession, path: str) -> Iterator[int]:
    """The operators of a query whose state is in pages."""
    try:
        found = session.read.format("state-metadata").load(path).collect()
    except Exception as error:
        raise UsageError("Spark finds no state in this checkpoint", path,
                         got=str(error).partition("\n")[0]) from None
    for row in found:
        held = json.loads(row.operatorProperties or "{}").get("stateVariables", [])
        if {"head", "pages"} <= {each["stateName"] for each in held}:
            yield row.operatorId


def _in_buckets(heads: Mapping[int, dict], pages: Mapping[tuple, list[bytes]]
                ) -> Iterator[KeptState]:
    from anabranch.engine.spark.frames.pages import named_in

    for (bucket, stage), own in sorted(pages.items()):
        about = heads[bucket]
        fields = {name: list(kinds) for name, kinds in about["states"].items()}
        yield from latest(named_in(stage, about["kinds"]), own, fields)


def latest(owners: list[str], pages: Iterable[bytes], fields: Mapping[str, list[str]]
           ) -> Iterator[KeptState]:
    """The last state of each key in pages of plain rows, of variables with these owners."""
    found: dict[tuple[int, str], KeptState] = {}
    for page in pages:
        _, variables = json.loads(page[1:])
        for number, (name, saved) in enumerate(zip(owners, variables)):
            for key, own in _entries(saved):
                shown = KeptState(name, plain(key, fields), plain(own, fields))
                found[number, json.dumps(key)] = shown
    yield from found.values()


def _entries(saved: object) -> list[tuple[object, object]]:
    """Keys with their states; what has none is the state itself."""
    tag, values = saved if isinstance(saved, list) else (None, None)
    are_keyed = tag == "list" and all(
        isinstance(each, list) and each[0] == "list" and len(each[1]) == 3 for each in values)
    return [(each[1][0], each[1][1]) for each in values] if are_keyed else [(None, saved)]


def plain(value: object, fields: Mapping[str, list[str]]) -> object:
    """A saved value as JSON has it; a state is a dict if its fields are known.

    >>> plain(["state", "__main__:Bal", [2.5, ["tuple", [1]]]], {"__main__:Bal": ["total", "t"]})
    {'total': 2.5, 't': [1]}
    >>> plain(["dict", [["a"], [["int", "0x10"]]]], {})
    {'a': 16}
    >>> plain(["time", ["2026-01-01T10:00:00", 0, ["zone", [["span", [0, 3600, 0]]]]]], {})
    '2026-01-01T10:00:00+01:00'
    """
    if not isinstance(value, list):
        return value
    tag, *rest = value
    if tag in ("state", "record"):
        values = [plain(each, fields) for each in rest[1]]
        names = fields.get(rest[0], [])
        return dict(zip(names, values)) if len(names) == len(values) else values
    if tag == "int":
        return int(rest[0], 16)
    if tag in ("list", "tuple", "set", "frozenset", "key", "window", "windows"):
        return [plain(each, fields) for each in rest[0]]
    if tag in ("dict", "counter", "ordered", "defaults"):
        return _mapping(*rest[0][-2:], fields)
    if tag == "deque":
        return [plain(each, fields) for each in rest[0][1]]
    if tag in TEXTS:
        return TEXTS[tag](decode(json.dumps(value).encode()))
    return rest[-1]


TEXTS = {"time": datetime.isoformat, "clock": time.isoformat, "span": str, "zone": str}
"""What is shown as a text, by the tag that it is saved with."""


def _mapping(keys: list, values: list, fields: Mapping[str, list[str]]) -> dict[str, object]:
    shown = (plain(key, fields) for key in keys)
    return {key if isinstance(key, str) else json.dumps(key): plain(own, fields)
            for key, own in zip(shown, values)}
