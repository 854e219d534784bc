"""Tests of balances.py: of one function, and of the whole program."""

from balances import Balance, Overdrawn, Payment, overdrawn

from anabranch.testing import check

ENGINES = ("sequential", "multicore")
"""What `check` tries; without it, all that are installed, and Spark takes a while to start."""


def test_a_payment_that_overdraws_is_told() -> None:
    balance = Balance(10.0)
    assert list(overdrawn(balance, Payment(1, -15.0, "card"))) == [Overdrawn(1, -5.0)]
    assert balance.total == -5.0


def test_the_program() -> None:
    check("balances.py", engines=ENGINES,
          given=[Payment(1, 20.0, "card"), Payment(2, -5.0, "card"), Payment(1, -30.0, "transfer"),
                 Payment(2, 90.0, "test"), Payment(2, 1.0, "card")],
          expect=[Overdrawn(2, -5.0), Overdrawn(1, -10.0), Overdrawn(2, -4.0)])
