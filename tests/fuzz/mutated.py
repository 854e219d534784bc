"""Wrong programs of our languages: words left out, doubled, swapped or put elsewhere in right ones.

Whatever is wrong with them, they end in an error of ours at a line of the text, never in Python's.
"""

from __future__ import annotations

import random
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from anabranch.compile import compile_graph, load
from anabranch.core.errors import AnabranchError, NothingToRunError, ProgramError
from anabranch.engine.sequential.run import run

ROOT = Path(__file__).parents[2]
LANGUAGES = ("cql", "spl", "str", "szl")
WORD = re.compile(r'"(?:\\.|[^"\\\n])*"|\w+|\s+|->|[-+*/%&|<>=!:]=|&&|\|\||\+\+|--|<<|>>|.', re.S)
LONGEST, MOST_WORDS = 2.0, 30
"""A mutated program may have a loop without end: it is left alone after so many seconds."""


class TooLongError(BaseException):
    """Nothing of ours catches it."""


@cache
def corpus(language: str) -> tuple[str, ...]:
    """The examples of a language, and the programs in its page."""
    files = sorted((ROOT / "examples").rglob(f"*.{language}"))
    page = "\n".join(p.read_text() for p in sorted((ROOT / "docs").glob("*.md")))
    blocks = re.findall(rf'```\w* title="[^"]*\.{language}"\n(.*?)```', page, re.S)
    return (*(file.read_text() for file in files), *blocks)


def mutated(language: str, seed: int) -> str:
    """A program with a few words that are not where they were."""
    draw = random.Random(f"{language} {seed}")
    words = WORD.findall(draw.choice(corpus(language)))
    others = [w for w in WORD.findall(draw.choice(corpus(language))) if not w.isspace()]
    places = [n for n, word in enumerate(words) if not word.isspace()]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        _change(words, draw.choice(places), draw.choice(places), draw.choice(others), draw)
    return "".join(words)


def _change(words: list[str], here: int, there: int, other: str, draw: random.Random) -> None:
    low, high = min(here, there), max(here, there)
    how = draw.randrange(6)
    if how == 0:
        words[here] = ""
    elif how == 1:
        words[here] += f" {words[here]} "
    elif how == 2:
        words[here] = f" {other} "
    elif how == 3:
        words[here] += f" {other} "
    elif how == 4:
        words[here], words[there] = words[there], words[here]
    elif high - low < MOST_WORDS:
        words[low:high] = [""] * (high - low)


def problem(language: str, text: str) -> str | None:
    """What is wrong with how a program is refused, if it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"program.{language}")
        path.write_text(text)
        try:
            with _limited(LONGEST):
                _through(path)
        except (TooLongError, NothingToRunError):
            return None
        except ProgramError as error:
            return None if error.where is not None else str(error)
        except AnabranchError:
            return None
        except BaseException as error:
            return f"{type(error).__name__}: {error}"
    return None


def _through(path: Path) -> None:
    """The graph and the plan; of programs without input, what they do."""
    graph = load(path)
    compile_graph(graph)
    if path.suffix == ".str":
        run(graph, {op.name: op.kind.spec.items(None) for op in graph.sources},
            lambda op, item: None)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def main(seconds: float, seed: int) -> list[tuple[str, str]]:
    """Tries new programs for so long; gives what was wrong, and a test of each such program."""
    end, findings, first = time.monotonic() + seconds, {}, seed
    while time.monotonic() < end:
        for language in LANGUAGES:
            text = mutated(language, seed)
            found = problem(language, text)
            if found is not None and found not in findings:
                findings[found] = f"seed {seed}: {found}", TEST.format(language=language, text=text)
                print(findings[found][0], flush=True)
        seed += 1
    print(f"mutated programs: {seed - first} of each language, {len(findings)} wrong", flush=True)
    return list(findings.values())


TEST = '''"""Found by `make fuzz`."""

from fuzz.mutated import problem

TEXT = {text!r}


def test_a_program():
    assert problem({language!r}, TEXT) is None
'''
