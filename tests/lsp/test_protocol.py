"""What an editor is told: over the pipes of a real server, by texts that no file has."""

import time
from pathlib import Path

import pytest

from lsp.client import Client

# One server is enough for all of them.
pytestmark = pytest.mark.xdist_group("lsp")

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = """\
import anabranch as ab

class Payment(ab.Record):
    account: int
    amount: float
    kind: str

class Balance(ab.State):
    total: float = 0.0

log = []

@ab.operator(by="account")
def running(state: Balance, p: Payment):
    state.total += p.amount
    if state.total < 0:
        yield p.replace(amount=state.total)

def noted(p: Payment):
    log.append(p)
    return p

payments = ab.read_csv("payments.csv", Payment)
real = payments.filter(lambda p: p.kind != "test")
real.apply(running).map(noted).write_stdout()
"""


@pytest.fixture(scope="module")
def editor(tmp_path_factory):
    client = Client(tmp_path_factory.mktemp("project"), {"seconds": 0.5})
    (client.folder / "payments.csv").write_text("account,amount,kind\n1,-2.5,card\n")
    client.open("program.py", PROGRAM)
    yield client
    assert client.close() == 0


def shown(editor, name: str, text: str) -> list[tuple[int, int, int, str]]:
    """Each problem: its line from 1, its columns from 1, and the first line of what is said."""
    if name in editor.versions:
        editor.change(name, text)
    else:
        editor.open(name, text)
    return sorted((d["range"]["start"]["line"] + 1, d["range"]["start"]["character"] + 1,
                   d["range"]["end"]["character"] + 1, d["message"].split("\n")[0])
                  for d in editor.settled(name))


def hints(editor, name: str) -> list[tuple[int, str]]:
    """What stands at the ends of lines, which count from 1."""
    found = editor.ask("textDocument/inlayHint", {
        "textDocument": {"uri": (editor.folder / name).as_uri()},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}})
    return [(hint["position"]["line"] + 1, hint["label"]) for hint in found]


def completed(editor, text: str) -> list[str]:
    """What may stand at the mark `¦` of a program that is being written."""
    head, tail = text.split("¦")
    shown(editor, "program.py", head + tail)
    line, column = head.count("\n"), len(head) - head.rfind("\n") - 1
    return [item["label"] for item in editor.at("completion", "program.py", line, column)]


def test_every_error_stands_at_its_column(editor):
    wrong = PROGRAM.replace('p.kind != "test"', '"🙂🙂" != p.knid').replace(
        "state.total += p.amount", "state.total += p.amuont")
    # Columns are those of UTF-16, in which the two faces are four units.
    assert shown(editor, "program.py", wrong) == [
        (15, 22, 28, "Payment has no attribute 'amuont'"),
        (24, 46, 50, "Payment has no attribute 'knid'")]


def test_what_cannot_be_read_hides_nothing_else(editor):
    broken = PROGRAM.replace("log = []", "log = [1,\n").replace("p.kind", "p.knid")
    assert shown(editor, "program.py", broken) == [
        (11, 7, 10, "this cannot be read: '[' was never closed"),
        (25, 36, 40, "Payment has no attribute 'knid'")]


def test_lines_may_end_as_on_windows(editor):
    wrong = PROGRAM.replace("p.kind", "p.knid").replace("\n", "\r\n")
    assert shown(editor, "program.py", wrong) == [(24, 36, 40, "Payment has no attribute 'knid'")]


def test_facts_and_reasons_stand_at_their_lines(editor):
    assert shown(editor, "program.py", PROGRAM) == []
    told = editor.at("hover", "program.py", 24, 7)["contents"]["value"]
    assert "partitioned by account" in told and "at most one" in told and "on all cores" in told
    why = "sequential: state is unknown: appends to the global list `log`"
    assert hints(editor, "program.py") == [
        (24, "∥ parallel"), (25, "∥ parallel by account"), (25, f"→ {why}"),
        (20, f"↑ keeps noted {why}")]


@pytest.mark.parametrize(("line", "wanted"), [
    ("real = payments.filter(lambda p: p.¦", ["account", "amount", "kind"]),
    ("real = payments.filter(lambda p: p.k¦ind != 3)", ["account", "amount", "kind"]),
    ('payments.sort("am¦").write_stdout()', ["account", "amount", "kind"]),
])
def test_attributes_are_completed_while_a_line_is_written(editor, line, wanted):
    kept = PROGRAM[:PROGRAM.index("real =")]
    assert completed(editor, f"{kept}{line}\n") == wanted


def test_state_and_streams_and_modules_are_completed(editor):
    assert completed(editor, PROGRAM.replace("state.total +=", "state.¦ +=")) == ["total"]
    assert {"filter", "apply"} <= set(completed(editor, PROGRAM.replace(".filter(", ".f¦(")))
    assert {"read_csv", "Record"} <= set(completed(editor, PROGRAM.replace("ab.read", "ab.¦read")))


WRONG = {
    "bargains.cql": ("history.low", "history.lwo", 7, "there is no attribute 'history.lwo'"),
    "log_analyzer.szl": ("emit queryOrigins", "emit queryOrigin", 7, "queryOrigin"),
    "streamit/moving_average.str": ("push(", "psuh(", 6, "psuh"),
    "spl/tweet_words.spl": ("= Beacon", "= Baecon", 40, "Baecon"),
    "market_maker.river": ("SaleJoin(", "SaleJoni(", 14, "SaleJoni"),
}


@pytest.mark.parametrize("name", WRONG)
def test_our_languages_say_what_is_wrong(editor, name):
    right, wrong, line, told = WRONG[name]
    text = (EXAMPLES / name).read_text()
    place = Path(name).name
    for beside in ("market_maker.py",):
        (editor.folder / beside).write_text((EXAMPLES / beside).read_text())
    found = shown(editor, place, text.replace(right, wrong, 1))
    assert [(at, told in said) for at, _, _, said in found] == [(line, True)]
    assert shown(editor, place, text) == []
    symbols = editor.ask("textDocument/documentSymbol", {
        "textDocument": {"uri": (editor.folder / place).as_uri()}})
    assert symbols


def test_a_text_has_several_errors(editor):
    text = (EXAMPLES / "bargains.cql").read_text()
    wrong = text.replace("int ask", "itn ask").replace("history.low", "history.lwo")
    assert [(line, start) for line, start, _, _ in shown(editor, "several.cql", wrong)] == [
        (2, 27), (7, 21)]


def test_names_are_found_where_they_are_declared(editor):
    shown(editor, "program.py", PROGRAM)
    [place] = editor.at("definition", "program.py", 12, 19)
    assert place["range"]["start"] == {"line": 3, "character": 4}
    text = (EXAMPLES / "market_maker.river").read_text()
    (editor.folder / "market_maker.py").write_text((EXAMPLES / "market_maker.py").read_text())
    editor.open("market.river", text)
    line = next(n for n, each in enumerate(text.split("\n")) if "SaleJoin(" in each)
    (editor.folder / "market.py").write_text((EXAMPLES / "market_maker.py").read_text())
    [place] = editor.at("definition", "market.river", line, text.split("\n")[line].index("SaleJ"))
    assert place["uri"].endswith("market.py")


def test_words_of_a_language_are_completed(editor):
    editor.open("words.cql", "s := {int price} stream;\nse")
    labels = [each["label"] for each in editor.at("completion", "words.cql", 1, 2)]
    assert {"select", "istream", "s", "price"} <= set(labels)


def test_a_program_does_nothing_while_it_is_edited(editor):
    acts = f"""\
import anabranch as ab
import os, subprocess
print("a message between those of the protocol")
os.write(1, b"another")
numbers = ab.from_iterable([1, 2], int)
open({str(editor.folder / 'made.txt')!r}, "w").write("x")
subprocess.run(["touch", {str(editor.folder / 'touched.txt')!r}])
numbers.map(lambda n: n + 1).write_stdout()
"""
    found = shown(editor, "acts.py", acts)
    assert [(line, "not while it is edited" in text) for line, _, _, text in found] == [
        (6, True), (7, True)]
    assert not (editor.folder / "made.txt").exists()
    assert not (editor.folder / "touched.txt").exists()


def test_what_is_imported_is_what_was_saved(editor):
    (editor.folder / "helper.py").write_text("def twice(n: int) -> int:\n    return 2 * n\n")
    shown(editor, "helper.py", "log = []\n\n\ndef twice(n):\n    log.append(n)\n    return n\n")
    program = ("import anabranch as ab\nfrom helper import twice\n"
               "ab.from_iterable([1], int).map(twice).write_stdout()\n")
    assert shown(editor, "importing.py", program) == []
    assert [label for _, label in hints(editor, "importing.py")] == ["∥ parallel"]


def test_other_files_in_python_are_never_run(editor):
    assert shown(editor, "other.py", "raise SystemExit(3)\n") == []


def test_a_program_that_does_not_end_is_left(editor):
    stuck = "import anabranch as ab\nab.from_iterable([1], int).write_stdout()\nwhile True: pass\n"
    [(line, _, _, text)] = shown(editor, "stuck.py", stuck)
    assert line == 3 and "still computing" in text


def test_who_types_quickly_is_told_once(editor):
    shown(editor, "program.py", PROGRAM)
    before = len(editor.diagnostics)
    began = time.monotonic()
    for n in range(60):
        editor.change("program.py", PROGRAM + "#" * n)
    assert shown(editor, "program.py", PROGRAM.replace("p.kind", "p.knid")) != []
    assert len(editor.diagnostics) - before <= 4 and time.monotonic() - began < 30


def test_a_huge_text_is_not_looked_at(editor):
    [(_, _, _, text)] = shown(editor, "huge.cql", "# nothing\n" * 250_000)
    assert "too long" in text


def test_python_is_not_run_where_that_is_not_wanted(tmp_path):
    client = Client(tmp_path, {"python": False})
    client.open("program.py", PROGRAM.replace("p.kind", "p.knid"))
    assert client.at("completion", "program.py", 0, 0) == []
    assert client.at("hover", "program.py", 20, 8) is None
    assert client.close() == 0 and not client.diagnostics
