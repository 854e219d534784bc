"""Small programs for every part of the manuals, and what each of them prints.

A block of `programs.txt` is a program. Its first lines may say with which options it runs, and what
the lines of its input are; what it prints stands in the golden file.
"""

from __future__ import annotations

from pathlib import Path

from anabranch.core.errors import AnabranchError
from lang.sawzall.szl import both

PROGRAMS = (Path(__file__).parent / "programs.txt").read_text().rstrip("\n").split("\n%%\n")


def said(block: str, what: str) -> str | None:
    return next((line.removeprefix(f"# {what}: ") for line in block.split("\n")[:2]
                 if line.startswith(f"# {what}: ")), None)


def printed(block: str, folder: Path) -> str:
    options, given = (said(block, "options") or "").split(), said(block, "input")
    path = folder / "input.txt"
    path.write_text("".join(f"{line}\n" for line in (given or "").split("|")))
    try:
        out, err = both(block, () if given is None else (path,), **dict.fromkeys(options, True))
    except AnabranchError as error:
        return f"{error}\n"
    return out + "".join(f"on standard error: {line}\n" for line in err.splitlines())


def test_programs(golden, tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "PST8PDT")
    text = "\n".join(f"{block}\n=>\n{printed(block, tmp_path)}" for block in PROGRAMS)
    golden("lang/sawzall_programs.txt", text.replace(str(tmp_path), "folder"))
