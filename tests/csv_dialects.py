"""Dialects of CSV, and usual texts written in them."""

from anabranch.io.csv.dialect import Dialect

DIALECTS = [
    *map(Dialect, ",;\t|"), Dialect(";", decimal=","), Dialect("|", quote="'", decimal=","),
    Dialect(quote="$"), Dialect(header=False), Dialect(";", header=False, decimal=","),
    Dialect(null=("None", "a", "-")), Dialect(null=("7", "1.5", " 1.0", "é", '"')),
    Dialect(";", decimal=",", null=("2,5", "1,5", "-1e-5", "")),
    Dialect(columns=(("n", "x"), ("x", "n"))), Dialect(columns=(("s", "extra"),)),
    Dialect(encoding="iso8859-1"), Dialect("\t", encoding="utf-16", null=("a",)),
    Dialect(encoding="utf-8-sig", header=False), Dialect(encoding="cp1252", decimal=",",
                                                         delimiter=";", quote="'")]


def spelt(text: str, dialect: Dialect) -> str:
    """The text with the marks of a dialect, whose places usual marks take."""
    marks = {",": dialect.delimiter, '"': dialect.quote, ".": dialect.decimal}
    left = iter(sorted(set(marks) - set(marks.values())))
    others = {mark: next(left) for mark in sorted(set(marks.values()) - set(marks))}
    text = text.translate(str.maketrans(marks | others))
    return text if dialect.header else text.partition("\n")[2]
