"""Searches for a program that some engine runs otherwise than the sequential one.

Processes take one seed after another; one that says nothing for a while is ended, and its program
is a finding too: it did not end.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzz.engines import Difference, configurations, differences
from fuzz.programs import Case, write
from fuzz.shrink import shrunk

SILENCE = 120.0
"""After so many seconds without a word a process is ended: it says one after each run."""

LIFE = 400
"""So many programs a process takes before another one goes on with fresh caches."""

ENOUGH = 20
"""After so many findings a search ends."""

Finding = tuple[str, str]
"""A title, and the text of a test that fails."""


def main(seconds: float, seed: int, jobs: int | None = None, programs: int | None = None
         ) -> list[Finding]:
    """Runs programs for so many seconds, or so many `programs`, from the seed on."""
    search = Search(seed, jobs or min(2, os.cpu_count() or 1), programs)
    search.go(time.monotonic() + seconds)
    print(search.summary(), flush=True)
    return search.findings


class Search:
    """The processes of a search, what they have found, and what they have run."""

    def __init__(self, seed: int, jobs: int, programs: int | None):
        self.seed, self.next, self.jobs = seed, seed, jobs
        self.last = None if programs is None else seed + programs
        self.findings: list[Finding] = []
        self.paths, self.programs, self.runs, self.began = Counter(), 0, 0, time.monotonic()
        self.selector = selectors.DefaultSelector()

    def go(self, end: float) -> None:
        for _ in range(self.jobs):
            self._start(end)
        try:
            while self.selector.get_map():
                for key, _ in self.selector.select(1.0):
                    key.data.read(self, end)
                for key in list(self.selector.get_map().values()):
                    key.data.watch(self, end)
        finally:
            for key in list(self.selector.get_map().values()):
                key.data.process.kill()

    def _start(self, end: float) -> None:
        child = Child()
        self.selector.register(child.process.stdout, selectors.EVENT_READ, child)
        self.hand_out(child, end)

    def hand_out(self, child: Child, end: float) -> None:
        """Gives a process the next seed, or lets it end."""
        if self._is_over(end) or child.taken == LIFE:
            child.process.stdin.close()
        else:
            child.take(self.next)
            self.next += 1

    def _is_over(self, end: float) -> bool:
        return (time.monotonic() > end or self.next == self.last
                or len(self.findings) >= ENOUGH)

    def heard(self, told: dict) -> None:
        self.programs += 1
        self.runs += told["runs"]
        self.paths.update(told["paths"])
        if told["title"]:
            self.findings.append((told["title"], told["text"]))
            print(f"found: {told['title']}", flush=True)
        if self.programs % 100 == 0:
            print(self.summary(), flush=True)

    def ended(self, child: Child, end: float) -> None:
        self.selector.unregister(child.process.stdout)
        child.process.wait()
        if child.process.returncode and child.at is not None:
            case, title = write(child.at), f"seed {child.at} did not end"
            if child.process.returncode != -9:
                title = f"seed {child.at} ended the process with {child.process.returncode}"
            self.findings.append((title, as_test(case, [], title)))
            print(f"found: {title}", flush=True)
        if not self._is_over(end):
            self._start(end)

    def summary(self) -> str:
        seconds = time.monotonic() - self.began
        shown = ", ".join(f"{name} {count:,}" for name, count in self.paths.most_common())
        return (f"seeds {self.seed} to {self.next - 1}: {self.programs:,} programs in "
                f"{self.runs:,} runs in {seconds:.0f} s, {len(self.findings)} findings ({shown})")


class Child:
    """A process that takes one seed after another."""

    def __init__(self):
        root = str(Path(__file__).parents[1])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.user_programs"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=os.environ | {
                "PYTHONPATH": path, "ANABRANCH_COMPILE": "here"})
        self.at: int | None = None
        self.heard, self.rest, self.over, self.taken = time.monotonic(), b"", False, 0

    def take(self, seed: int) -> None:
        self.at, self.taken = seed, self.taken + 1
        self.process.stdin.write(b"%d\n" % seed)
        self.process.stdin.flush()

    def read(self, search: Search, end: float) -> None:
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        self.over = not data
        *lines, self.rest = (self.rest + data).split(b"\n")
        for told in map(json.loads, lines):
            self.heard = time.monotonic()
            if told is not None:
                self.at = None
                search.heard(told)
                search.hand_out(self, end)

    def watch(self, search: Search, end: float) -> None:
        if self.over:
            search.ended(self, end)
        elif time.monotonic() - self.heard > SILENCE:
            self.process.kill()
            self.heard = time.monotonic()


def take(seed: int, tell: Callable[[object], None]) -> dict[str, object]:
    """What came of the program of a seed, as it is told to the one that searches."""
    case, paths = write(seed), Counter()
    chosen = configurations(case)
    found = differences(case, chosen, paths, most=1, after_each=partial(tell, None))
    title, text = reduced(case, found[0]) if found else ("", "")
    return {"runs": len(chosen), "paths": paths, "title": title, "text": text}


def live() -> None:
    """The life of a process: programs may print, but only to standard error."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(word: object) -> None:
        print(json.dumps(word), file=out, flush=True)
    for line in sys.stdin:
        tell(take(int(line), tell))


def reduced(case: Case, found: Difference, seconds: float = 30.0) -> Finding:
    """The title and the test of the smallest case that fails in the same way."""
    def fails(tried: Case) -> bool:
        # A difference between threads may need some attempts.
        again = (differences(tried, [found.configuration]) for _ in range(3))
        return any(each and each[0].kind == found.kind for each in again)
    small = shrunk(case, fails, seconds)
    shown = differences(small, [found.configuration]) or [found]
    hides = f" ({case.hidden})" if case.hidden else ""
    title = f"seed {case.seed}{hides} differs on {found.configuration}"
    return title, as_test(small, shown[:1], title)


TEST = '''"""Found by `make fuzz`: {title}.

{shown}
"""

{imports}
from fuzz.programs import Case

PROGRAM = {program}

FILES = {files}


def test_seed_{seed}():
    case = Case({seed}, PROGRAM, FILES, on_error={on_error!r}, large={large!r})
    assert {check}
'''

IMPORTS = "from fuzz.engines import Configuration, configurations, differences"


def as_test(case: Case, found: list[Difference], title: str, imports: str = IMPORTS,
            check: str = "") -> str:
    """A file for pytest with the program in it, and what does not hold of the `case`."""
    shown = "\n\n".join(map(str, found)).replace("\\", "\\\\").replace('"""', "'''")
    files = "{" + "".join(f"\n    {name!r}: {content!r}," for name, content in
                          case.files.items()) + "}"
    chosen = [each.configuration for each in found] or "configurations(case)"
    return TEST.format(title=title, shown=shown, program=_quoted(case.source), files=files,
                       seed=case.seed, on_error=case.on_error, large=case.large,
                       imports=imports, check=check or f"differences(case, {chosen}) == []")


def _quoted(text: str) -> str:
    if "'''" in text or text.endswith("\\"):
        return repr(text)
    return f"r'''{text}'''"


if __name__ == "__main__":
    live()
