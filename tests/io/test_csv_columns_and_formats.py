"""CSV whose columns are called otherwise, and whose dates look otherwise."""

from datetime import UTC, date, datetime, time

import pytest

import anabranch as ab
from anabranch.core.errors import AnabranchError, ProgramError

TEXT = """Tag;Uhrzeit;Betrag;Stand;Rest
24.12.2026;18h05;1234,5;24.12.26 18:05 +0200;x
01.02.2027;07h30;-2,0;;y
"""


class Payment(ab.Record):
    day: date
    clock: time
    amount: float
    booked: datetime | None


BOOKED = datetime(2026, 12, 24, 16, 5, tzinfo=UTC)
EXPECTED = [Payment(date(2026, 12, 24), time(18, 5), 1234.5, BOOKED),
            Payment(date(2027, 2, 1), time(7, 30), -2.0, None)]
COLUMNS = {"day": "Tag", "clock": "Uhrzeit", "amount": "Betrag", "booked": "Stand"}
FORMATS = {"day": "%d.%m.%Y", "clock": "%Hh%M", "booked": "%d.%m.%y %H:%M %z"}


def payments(path, **changes):
    given = {"delimiter": ";", "decimal": ",", "columns": COLUMNS, "dates": FORMATS, **changes}
    return ab.read_csv(path, Payment, **given)


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_columns_have_other_names_and_dates_a_format(engine, tmp_path):
    (tmp_path / "in.csv").write_text(TEXT)
    assert payments(tmp_path / "in.csv").collect(engine=engine) == EXPECTED


def test_a_file_without_a_header_has_formats_too(tmp_path):
    rows = [line.rpartition(";")[0] for line in TEXT.splitlines()[1:]]
    (tmp_path / "in.csv").write_text("\n".join(rows))
    assert payments(tmp_path / "in.csv", header=False, columns=None).collect() == EXPECTED


@pytest.mark.parametrize(("old", "new", "told"), [
    ("Betrag", "Betrog", r"no column 'Betrag'(.|\n)*did you mean 'Betrog'"),
    ("24.12.2026", "24.13.2026", r"day cannot be read as date like %d.%m.%Y"),
    ("07h30", "", r"clock cannot be read as time like %Hh%M")])
def test_what_does_not_fit_is_told(old, new, told, tmp_path):
    (tmp_path / "in.csv").write_text(TEXT.replace(old, new, 1))
    with pytest.raises(AnabranchError, match=told):
        payments(tmp_path / "in.csv").collect()


@pytest.mark.parametrize(("changes", "told"), [
    ({"columns": {"amuont": "Betrag"}}, r"no attribute 'amuont'(.|\n)*did you mean 'amount'"),
    ({"dates": {"amount": "%d"}}, r"Payment.amount has no format"),
    ({"header": False}, "without a header no column has a name")])
def test_names_and_formats_are_checked_when_the_source_is_declared(changes, told):
    with pytest.raises(ProgramError, match=told):
        payments("in.csv", **changes)
