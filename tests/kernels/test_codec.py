"""Values as bytes and back: of a time all is kept, its zone and whether it is the second of two."""

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from anabranch.api.selection import Seen
from anabranch.batch.value_codec import decode, encode
from anabranch.core.errors import RunError
from anabranch.ir.windows import KeyState

TIMES = [datetime(1, 1, 1), datetime(2026, 10, 25, 2, 30, fold=1),
         datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
         datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1),
         datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=-3, seconds=7))),
         datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1), "CET"))]


@pytest.mark.parametrize("time", TIMES, ids=str)
def test_times_come_back_as_they_were(time):
    back = decode(encode([time]))[0]
    assert (repr(back), back.fold) == (repr(time), time.fold)
    assert (time.tzinfo is UTC) == (back.tzinfo is UTC)


class Color(Enum):
    RED = "red"


def test_values_of_fields_come_back_as_they_were():
    given = [date(2024, 2, 29), time(23, 59, 1, 5), time(1, tzinfo=UTC, fold=1), Decimal("1.50"),
             Decimal("-0E+3"), UUID(int=7), Color.RED]
    back = decode(encode(given))
    assert list(map(repr, back)) == list(map(repr, given)) and back[-1] is Color.RED
    with pytest.raises(RunError, match=r"has Color\.BLUE, which the program does not define"):
        decode(encode(Color.RED).replace(b"RED", b"BLUE"))


def test_a_class_of_ours_is_found_where_it_stands_now():
    state = decode(b'["state","anabranch.api.combine:Seen",[true]]')
    assert isinstance(state, Seen)


def test_a_class_of_the_programs_is_found_in_its_own_module_alone():
    with pytest.raises(RunError, match="names the class shop:Seen, which the program does not def"):
        decode(b'["state","shop:Seen",[true]]')


class Own(tzinfo):
    """A zone of the program's own."""


def test_a_zone_that_is_not_known_is_refused():
    with pytest.raises(RunError, match="a value cannot be saved: Own is not known here"):
        encode(datetime(2026, 1, 1, tzinfo=Own()))


def test_windows_that_were_saved_before_instants_were_known():
    state = decode(b'["key",[["dict",[["a"],[1]]],["list",[]],["span",[0,5,0]]]]')
    assert isinstance(state, KeyState)
    assert (state.key, state.open, state.reached, state.aware) == (
        {"a": 1}, [], timedelta(seconds=5), None)
