"""The process that looks at programs: nothing that they do reaches the editor.

It has everything imported, and forks itself for each question: the answer comes within
milliseconds, and a program that prints, ends, loops or fills the memory does so in a process that
is thrown away. Questions and answers are lines of JSON on standard input and output.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from anabranch.core.errors import AnabranchError
from anabranch.core.threads import fork

SECONDS = 4.0
"""So long a program may compute while it is loaded."""
PATIENCE = 12.0
"""So long an answer may take in all."""
CPU_SECONDS = 30
MEMORY = 8 << 30



def main() -> None:
    """Answers until the input ends."""
    questions, answers = Questions(0), os.dup(1)
    # Whatever is imported may print; the answers have a way of their own.
    os.dup2(2, 1)
    prepared: set[str] = set()
    _prepare(".py", prepared)
    while (asked := questions.next()) is not None:
        if "drop" in asked:
            # It came when the answer was on its way already.
            continue
        _prepare(Path(asked["path"]).suffix, prepared)
        _told(answers, _answered(asked, questions))


class Questions:
    """The lines of standard input, which can be waited for together with an answer."""

    def __init__(self, number: int):
        self.number, self.rest = number, b""
        self.lines: list[bytes] = []

    def next(self) -> dict | None:
        """The next one; None at the end."""
        while not self.lines:
            if not self.read():
                return None
        return json.loads(self.lines.pop(0))

    def read(self) -> bool:
        """Takes in what is there; False at the end."""
        part = os.read(self.number, 1 << 20)
        *whole, self.rest = (self.rest + part).split(b"\n")
        self.lines += whole
        return bool(part)

    def are_dropped(self) -> bool:
        """Whether the question that is being answered is to be dropped."""
        return any(line.startswith(b'{"drop"') for line in self.lines)


TRIED = {
    ".py": ("import anabranch as ab\n"
            "ab.from_iterable([1], int).filter(lambda n: n > 0).write_stdout()\n"),
    ".cql": "s := {int a} stream; select istream(a) from s [now];",
    ".szl": "total: table sum of int; emit total <- 1;",
    ".str": ("void->int filter A { work push 1 { push(1); } }\n"
             "int->void filter B { work pop 1 { println(pop()); } }\n"
             "void->void pipeline C { add A(); add B(); }"),
    ".spl": ("composite Main { graph stream<int32 a> S = Beacon() { param iterations: 1; } "
             "() as O = FileSink(S) { param file: \"o\"; } }"),
}
"""A program of ours in each language, to be looked at once."""


def _prepare(extension: str, prepared: set[str]) -> None:
    """Has everything that a language needs imported, and its parser made, before processes are
    forked: that takes seconds, and each of them would need it anew."""
    if extension in prepared:
        return
    prepared.add(extension)
    from anabranch.lsp.findings import findings

    kept = sys.modules["__main__"], sys.argv, list(sys.path)
    with suppress(AnabranchError):
        list(findings(Path(f"/nowhere/tried{extension}"), TRIED.get(extension, ""), SECONDS))
    sys.modules["__main__"], sys.argv, sys.path[:] = kept


def _answered(asked: dict, questions: Questions) -> dict:
    """The answer of a process of its own, which is ended when it takes too long, or when nobody
    wants to know any more."""
    reading, writing = os.pipe()
    child = fork(partial(_answer, asked, reading, writing))
    os.close(writing)
    parts, until = [], time.monotonic() + asked.get("patience", PATIENCE)
    try:
        while (left := until - time.monotonic()) > 0:
            ready = select.select([reading, questions.number], [], [], left)[0]
            if questions.number in ready and not questions.read():
                raise SystemExit
            if questions.are_dropped():
                questions.lines = [q for q in questions.lines if not q.startswith(b'{"drop"')]
                return {"dropped": True}
            if reading not in ready:
                continue
            if not (part := os.read(reading, 1 << 16)):
                return _last(parts, "it ended early")
            parts.append(part)
        return _last(parts, "it took too long")
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer(asked: dict, reading: int, writing: int) -> NoReturn:
    """In the new process: what is asked for, and then the end of it."""
    os.close(reading)
    from anabranch.lsp.answers import answers
    from anabranch.lsp.guard import raise_guard

    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
        # Whoever would end this process may be gone before it ends.
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        if (folder := asked.get("folder")) and os.path.isdir(folder):
            os.chdir(folder)
        raise_guard()
        for found in answers(asked, asked.get("seconds", SECONDS)):
            _told(writing, found)
    except BaseException as error:
        _told(writing, {"failed": f"{type(error).__name__}: {error}"})
    os._exit(0)


def _last(parts: list[bytes], otherwise: str) -> dict:
    """The last whole answer; one that says that there is more was cut off."""
    told = [json.loads(line) for line in b"".join(parts).split(b"\n")[:-1]]
    last = told[-1] if told else {"failed": otherwise}
    if "failed" in last and len(told) > 1:
        return {**told[-2], "cut": last["failed"]}
    return {**last, "cut": otherwise} if "more" in last else last


def _told(answers: int, found: dict) -> None:
    text = json.dumps(found).encode() + b"\n"
    while text:
        text = text[os.write(answers, text):]


if __name__ == "__main__":
    main()
