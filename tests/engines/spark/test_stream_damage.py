"""A damaged checkpoint is found and named, whichever of its files it is, whatever happened to it.

A stream goes on rightly, or says which file is damaged; it never tells a line of Java's.
"""

from __future__ import annotations

import re
import shutil

import pytest

import anabranch as ab
from engines.spark.streams import arrive, parts, streamed


class Word(ab.Record):
    w: str


class Seen(ab.State):
    n: int = 0


class Count(ab.Record):
    w: str
    n: int


@ab.operator(by="w")
def counted(state: Seen, t: Word):
    state.n += 1
    yield Count(t.w, state.n)


WORDS = ["a", "b", "c"]
DAMAGES = {
    "truncated": lambda data: data[:len(data) // 2],
    "empty": lambda data: b"",
    "flipped": lambda data: data[:len(data) // 2] + bytes([data[len(data) // 2] ^ 16])
    + data[len(data) // 2 + 1:],
    "foreign": lambda data: b"\x89PNG\r\n\x1a\n \xff\xfe",
    "deleted": lambda data: None,
}


@pytest.fixture(scope="module")
def stopped(spark, tmp_path_factory):
    """A stream after three batches, with its checkpoint, and rows for a fourth."""
    folder = tmp_path_factory.mktemp("stream")
    for number in range(3):
        arrive(folder / "in", number, WORDS, "w")
        streamed(program(folder), checkpoint=str(folder / "ck"))
    arrive(folder / "in", 3, WORDS, "w")
    shutil.copytree(folder / "ck", folder / "kept")
    shutil.copytree(folder / "out", folder / "shown")
    return folder


def program(folder):
    def build():
        words = ab.read_csv(folder / "in", Word).apply(counted)
        words.for_each(lambda t: None, name="each")
        return words.write_csv(folder / "out", name="out")
    return build


def kinds(folder):
    """One file of each kind: the last one, without a run's own number."""
    found = {}
    for path in sorted((folder / "kept").rglob("*")):
        if path.is_file() and not path.name.startswith(".") and path.name != "lock":
            name = str(path.relative_to(folder / "kept"))
            found[re.sub(r"\d[\da-f-]*$", "N", name)] = name
    return found


def check(folder, file, damage):
    for name, before in (("ck", "kept"), ("out", "shown")):
        shutil.rmtree(folder / name)
        shutil.copytree(folder / before, folder / name)
    path = folder / "ck" / file
    data = DAMAGES[damage](path.read_bytes())
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    try:
        streamed(program(folder), checkpoint=str(folder / "ck"))
    except ab.RunError as error:
        assert str(error) == f"""\
error: the checkpoint is damaged
  --> {path}
  = help: --start-over begins anew, with the whole input"""
    else:
        # Of these the stream needs nothing any more.
        assert damage in ("deleted", "empty") and file.startswith(("spark/commits", "delivered"))
        assert parts(folder / "out") == [f"{w},{n}" for n in range(1, 5) for w in WORDS]


def test_there_are_all_kinds_of_files(stopped):
    assert set(kinds(stopped)) == {
        "batches/N", "delivered", "program", "spark/commits/N",
        "spark/metadata", "spark/offsets/N", "spark/sources/0/N", "state/N"}


@pytest.mark.parametrize("damage", ["flipped", "deleted"])
@pytest.mark.parametrize("kind", ["batches/N", "program", "spark/offsets/N", "spark/sources/0/N",
                                  "spark/metadata", "state/N"])
def test_a_damaged_file_is_named(stopped, kind, damage):
    check(stopped, kinds(stopped)[kind], damage)


@pytest.mark.long
@pytest.mark.parametrize("damage", DAMAGES)
def test_any_damage_is_found(stopped, damage):
    for file in kinds(stopped).values():
        check(stopped, file, damage)


@pytest.mark.parametrize("gone", ["spark", "spark/offsets", "state", "batches"])
def test_a_folder_that_is_gone_is_named(stopped, gone):
    """Without its log Spark would count from the first batch again, and leave out what is new."""
    for name, before in (("ck", "kept"), ("out", "shown")):
        shutil.rmtree(stopped / name)
        shutil.copytree(stopped / before, stopped / name)
    shutil.rmtree(stopped / "ck" / gone)
    with pytest.raises(ab.RunError) as refused:
        streamed(program(stopped), checkpoint=str(stopped / "ck"))
    assert str(refused.value).startswith("error: the checkpoint is damaged\n  --> ")
    assert f"{stopped / 'ck' / gone}/" in str(refused.value)
    assert parts(stopped / "out") == [f"{w},{n}" for n in range(1, 4) for w in WORDS]


def test_an_earlier_checkpoint_does_not_go_on(stopped):
    """One that was copied before the last batch would do that batch again."""
    for name, before in (("ck", "kept"), ("out", "shown")):
        shutil.rmtree(stopped / name)
        shutil.copytree(stopped / before, stopped / name)
    shutil.copy(stopped / "out" / "part-00000002-00000.csv",
                stopped / "out" / "part-00000003-00000.csv")
    with pytest.raises(ab.RunError, match="the checkpoint is not the one of the last batch"):
        streamed(program(stopped), checkpoint=str(stopped / "ck"))
