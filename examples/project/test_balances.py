"""Tests of balances.py: of one function, and of the whole program."""

from balances import Balance, Overdrawn, Payment, alerts, overdrawn


def test_a_payment_that_overdraws_is_told():
    balance = Balance(10.0)
    assert list(overdrawn(balance, Payment(1, -15.0, "card"))) == [Overdrawn(1, -5.0)]
    assert balance.total == -5.0


def test_the_program():
    told = alerts.collect()
    assert told[0] == Overdrawn(102, -25.69)
    assert alerts.collect(engine="multicore", workers=2) == told
