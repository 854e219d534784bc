"""Wrong programs: the exact message, with the user's expression underlined."""

from __future__ import annotations

import re
import textwrap

import pytest

from anabranch.analysis.typing.inference import infer_result, infer_yields
from anabranch.core.errors import ProgramError
from anabranch.ir.types import RecordOf
from analysis.support import ENTRY, Balance, function


def message(text: str, state: bool = False) -> str:
    parameters = [RecordOf(Balance), ENTRY] if state else [ENTRY]
    with pytest.raises(ProgramError) as caught:
        (infer_yields if state else infer_result)(function(text), parameters)
    return re.sub(r"<test \d+>", "<test>", str(caught.value))


def test_a_misspelt_attribute():
    assert message("f = lambda t: t.amuont * 2") == textwrap.dedent("""\
        error: Entry has no attribute 'amuont'
          --> <test>:1:17
            |
          1 | f = lambda t: t.amuont * 2
            |                 ^^^^^^
          = help: did you mean 'amount'?""")


def test_a_type_clash():
    assert message("def f(t):\n    return t.uid + t.name\n") == textwrap.dedent("""\
        error: int + str is a type clash
          --> <test>:2:12
            |
          2 |     return t.uid + t.name
            |            ^^^^^^^^^^^^^^
          = help: convert one side with str(...) or int(...)""")


def test_a_wrong_field():
    assert message("f = lambda t: Out(uid=t.uid, totl=t.amount)") == textwrap.dedent("""\
        error: Out has no field 'totl'
          --> <test>:1:30
            |
          1 | f = lambda t: Out(uid=t.uid, totl=t.amount)
            |                              ^^^^
          = help: did you mean 'total'?""")


def test_a_field_of_another_type():
    assert message("f = lambda t: Out(t.name, t.amount)") == textwrap.dedent("""\
        error: Out.uid is of another type
          --> <test>:1:19
            |
          1 | f = lambda t: Out(t.name, t.amount)
            |                   ^^^^^^
          = expected: int
          = came: str""")


def test_a_misspelt_field_of_the_state():
    text = "def f(state, t):\n    state.totl += t.amount\n    yield t\n"
    assert message(text, state=True) == textwrap.dedent("""\
        error: Balance has no attribute 'totl'
          --> <test>:2:11
            |
          2 |     state.totl += t.amount
            |           ^^^^
          = help: did you mean 'total'?""")


def test_columns_count_characters():
    lines = message("f = lambda t: 'äöü' + t.amuont").split("\n")
    assert lines[3:5] == ["  1 | f = lambda t: 'äöü' + t.amuont",
                          "    |                         ^^^^^^"]


@pytest.mark.parametrize(("expression", "expected"), [
    ("t.note.lowr()", "str has no attribute 'lowr'"),
    ("t.tags.apend(1)", "list[str] has no attribute 'apend'"),
    ("t.name < t.uid", "str < int is a type clash"),
    ("1 < t.uid < t.name", "int < str is a type clash"),
    ("t.name - t.name", "str - str is a type clash"),
    ("t.tags + t.name", "list[str] + str is a type clash"),
    ("t.name * 1.5", "str * float is a type clash"),
    ("t.amount & 1", "float & int is a type clash"),
    ("-t.name", "-str is a type clash"),
    ("t.uid in t.name", "int in str is a type clash"),
    ("t.name in t.uid", "str in int is a type clash"),
    ("t.uid[0]", "this cannot be indexed"),
    ("[x for x in t.uid]", "this is not iterable"),
    ("Out(1)", "Out is not given 'total'"),
    ("Out(1, 2.0, 3)", "Out takes 2 values"),
    ("Out(1, uid=1, total=2.0)", "Out is given 'uid' twice"),
    ("Out(1, None)", "Out.total is of another type"),
    ("Out(1.5, 2)", "Out.uid is of another type"),
    ("t.replace(amuont=1)", "Entry has no field 'amuont'"),
    ("t._replace(amount='x')", "Entry.amount is of another type"),
    ("t.replace(1)", "Entry takes its fields by name here"),
    ("Out(t.uid, 1.0).totl", "Out has no attribute 'totl'"),
    ("[t.nme for _ in t.tags]", "Entry has no attribute 'nme'"),
    ("(lambda x: t.nme)(1)", "Entry has no attribute 'nme'"),
    ("f'{t.nme}'", "Entry has no attribute 'nme'"),
    ("max(t.tags, key=lambda w: t.nme)", "Entry has no attribute 'nme'"),
    ("Balance(totl=1)", "Balance has no field 'totl'"),
])
def test_wrong_expressions(expression, expected):
    assert message(f"f = lambda t: {expression}").startswith(f"error: {expected}\n")


@pytest.mark.parametrize(("body", "expected"), [
    ("state.total = t.name", "Balance.total is of another type"),
    ("state.count += 0.5", "Balance.count is of another type"),
    ("state.cuont = 1", "Balance has no attribute 'cuont'"),
    ("t.uid = 1", "Entry is a record: its fields cannot be assigned"),
    ("for x in t.uid: pass", "this is not iterable"),
    ("x = t.uid\n    x + t.name", "int + str is a type clash"),
    ("for w in t.tags: w + 1", "str + int is a type clash"),
    ("if t.nme: pass", "Entry has no attribute 'nme'"),
])
def test_wrong_statements(body, expected):
    text = f"def f(state, t):\n    {body}\n    yield t\n"
    assert message(text, state=True).startswith(f"error: {expected}\n")


def test_a_correct_use_of_the_same_names_passes():
    text = "def f(state, t):\n    state.total += t.amount\n    yield t.replace(amount=state.total)"
    assert infer_yields(function(text), [RecordOf(Balance), ENTRY]) == ENTRY
