"""Single values: what each type accepts as text and as JSON, and what it refuses."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from anabranch.io.values.codecs import json_decoder, json_encoder, text_decoder, text_encoder
from anabranch.io.values.scalars import BadValue
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, type_of


class Leg(Record):
    price: float
    count: int = 1


class Order(Record):
    legs: list[Leg]
    note: str | None


class Tree(Record):
    value: int
    children: list[Tree]


@pytest.mark.parametrize("kind, text, value", [
    (bool, "true", True), (bool, "False", False), (bool, "1", True), (bool, "0", False),
    (int, "-12", -12), (int, " 7 ", 7), (int, str(2**63 - 1), 2**63 - 1),
    (float, "1e3", 1000.0), (float, "-inf", -math.inf), (float, "7", 7.0),
    (str, "", ""), (str, " kept ", " kept "), (str, None, ""),
    (bytes, "AAEC", b"\x00\x01\x02"), (bytes, "", b""),
    (datetime, "2024-05-01", datetime(2024, 5, 1)),
    (datetime, "2024-05-01T12:30:00.5", datetime(2024, 5, 1, 12, 30, 0, 500_000)),
    (datetime, "2024-05-01T12:30:00.5Z", datetime(2024, 5, 1, 12, 30, 0, 500_000, UTC)),
    (datetime, "2024-05-01T12:30:00+02:00", datetime(2024, 5, 1, 10, 30, tzinfo=UTC)),
    (int | None, None, None), (int | None, "", None), (int | None, "5", 5),
    (str | None, None, None), (str | None, "", ""), (bytes | None, "", b""),
    (list[int], "[1, 2]", [1, 2]), (list[int | None], "[null]", [None]),
    (Leg, '{"price": 1}', Leg(1.0, 1)),
    (Order, '{"legs": [{"price": 2}]}', Order([Leg(2.0)], None)),
])
def test_text_is_decoded(kind, text, value):
    result = text_decoder(type_of(kind))(text)
    assert repr(result) == repr(value)


@pytest.mark.parametrize("kind, text, expected", [
    (bool, "yes", "bool"), (bool, None, "bool"), (int, "1.0", "int"), (int, "", "int"),
    (int, "1_000", "int"), (int, "\u0661", "int"), (int, str(2**63), "64 bits"),
    (int, "9" * 5000, "int"), (float, "1,5", "float"), (float, None, "float"),
    (float, "1_0", "float"), (bytes, "A", "base64"), (bytes, "A?==", "base64"),
    (datetime, "today", "ISO 8601"), (datetime, None, "ISO 8601"),
    (datetime, "2024-05-01T00:00:00.0000001", "microseconds"),
    (datetime, "0001-01-01T00:00:00+10:00", "ISO 8601"),
    (list[int], "1, 2", "JSON"), (list[int], "{}", "list[int]"), (Leg, "[]", "Leg"),
])
def test_text_is_refused(kind, text, expected):
    with pytest.raises(BadValue) as refused:
        text_decoder(type_of(kind))(text)
    assert expected in refused.value.expected


@pytest.mark.parametrize("kind, value, expected", [
    (bool, "true", "bool"), (bool, 2, "bool"), (int, True, "int"), (int, 1.0, "int"),
    (int, -2**63 - 1, "64 bits"), (float, "1", "float"), (float, True, "float"),
    (float, 10**400, "float"), (float, 2**53 + 1, "float"), (str, 1, "str"),
    (str, "\ud800", "Unicode"), (bytes, 1, "base64"), (datetime, 0, "ISO 8601"),
    (str, None, "str"),
])
def test_a_json_value_is_refused(kind, value, expected):
    with pytest.raises(BadValue) as refused:
        json_decoder(type_of(kind))(value)
    assert expected in refused.value.expected


def test_an_error_leads_to_the_value():
    with pytest.raises(BadValue) as refused:
        json_decoder(type_of(Order))({"legs": [{"price": 1}, {"price": "x"}]})
    assert refused.value.path == "legs[1].price"
    with pytest.raises(BadValue) as refused:
        json_encoder(type_of(Order))(Order([Leg(1.0), Leg(2.0, "many")], None))
    assert refused.value.path == "legs[1].count"


def test_a_missing_key_is_named_with_the_close_one():
    with pytest.raises(BadValue) as refused:
        json_decoder(type_of(Leg))({"prise": 1})
    assert refused.value.path == "price"
    assert "did you mean 'prise'?" in refused.value.got


def test_a_record_may_contain_itself():
    tree = Tree(1, [Tree(2, []), Tree(3, [Tree(4, [])])])
    kind = type_of(Tree)
    assert json_decoder(kind)(json_encoder(kind)(tree)) == tree


@pytest.mark.parametrize("kind, value, text", [
    (bool, True, "true"), (bool, np.False_, "false"), (int, np.int64(3), "3"), (int, True, "1"),
    (float, 3, "3.0"), (float, 0.1, "0.1"), (float, np.float32(0.5), "0.5"), (str, "", ""),
    (str | None, None, None), (bytes, bytearray(b"\0"), "AA=="),
    (datetime, datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2))),
     "2024-05-01T10:00:00+00:00"),
    (list[float], [1.0, math.nan, -math.inf], '[1.0, "NaN", "-Infinity"]'),
    (Leg, Leg(1.0), '{"price": 1.0, "count": 1}'),
])
def test_a_value_is_encoded_as_text(kind, value, text):
    assert text_encoder(type_of(kind))(value) == text


@pytest.mark.parametrize("kind, value", [
    (bool, 1), (int, 1.0), (int, 2**63), (int, "1"), (float, "1.0"), (float, 2**53 + 1),
    (float, 10**400), (str, 1), (str, b""), (bytes, ""), (datetime, 0), (list[int], Leg(1.0)),
    (list[int], "12"), (Leg, (1.0, 1)), (Leg, {"price": 1.0}), (int, None),
])
def test_a_value_of_another_type_is_not_encoded(kind, value):
    for encoder in (text_encoder, json_encoder):
        with pytest.raises(BadValue):
            encoder(type_of(kind))(value)


def test_a_value_of_unknown_type_is_encoded_as_what_it_is():
    encode = json_encoder(ANY)
    assert encode([Leg(1.0), {"a": datetime(2024, 1, 1)}, (1, None)]) == [
        {"price": 1.0, "count": 1}, {"a": "2024-01-01T00:00:00"}, [1, None]]
    for refused in ({1, 2}, {1: 2}, object()):
        with pytest.raises(BadValue):
            encode(refused)
