"""Wrong programs of every language: real ones with words that were left out, doubled, swapped, or
taken from elsewhere. Each is an error of ours that underlines a line, or a program: no internal
error, no endless loop of the compiler, no dead process."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from anabranch.compile import compile_graph, load
from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions

ROOT = Path(__file__).parents[2]
WORD = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\w+|\s+|.', re.DOTALL)
EXTREME = ("0", "-1", "1", "9223372036854775807", "9223372036854775808", "1e308", "0.5", '""',
           '"x"', "'a'", "null", "true", "(", ")", "{", "}", "[", "]", ";", ",", ":", "=", "\\",
           "\x00", "é", "😀", "$", "@", "#", "//", "/*", "*/", "..", "->", "<-", "\t\n")
SOURCES = {
    ".szl": ("examples/*.szl", "tests/lang/sawzall/programs.txt"),
    ".cql": ("examples/*.cql", "tests/lang/cql/*.cql", "tests/lang/cql/scripts.txt"),
    ".str": ("examples/streamit/*.str",),
    ".spl": ("examples/spl/*.spl", "tests/lang/spl/*.spl", "tests/lang/spl/figures/*.spl"),
    ".river": ("examples/*.river",),
}
SECONDS, MEMORY, BATCH = 10, 6 << 30, 40
"""So long may a program take to be compiled and run a little, in so much memory; and so many are
tried in a process."""


def programs(suffix: str) -> list[str]:
    """The programs that mutants of a language are made of."""
    paths = [path for pattern in SOURCES[suffix] for path in sorted(ROOT.glob(pattern))]
    texts = [text for path in paths for text in path.read_text().split("\n%%\n")]
    return [text.partition("\n--- ")[0] for text in texts if text.strip()]


def mutant(suffix: str, seed: int) -> str:
    """A program with a few changes, the same from the same seed."""
    draw, texts = random.Random(f"{suffix} {seed}"), programs(suffix)
    words = WORD.findall(draw.choice(texts))
    others = WORD.findall(draw.choice(texts))
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        if words:
            _change(words, others, draw)
    return "".join(words)


def _change(words: list[str], others: list[str], draw: random.Random) -> None:
    # Blanks are no words that anybody would get wrong.
    places = [n for n, word in enumerate(words) if not word.isspace()] or [0]
    at, other = draw.choice(places), draw.choice(places)
    near = draw.randrange(1, 12)
    match draw.randrange(18):
        case 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16:
            # What looks alike is more likely to get past the parser.
            alike = [word for word in (*words, *others) if _look(word) == _look(words[at])]
            words[at:at + 1] = [draw.choice(alike)]
        case 0:
            del words[at:at + 1]
        case 1:
            words[at:at] = words[at:at + near]
        case 2:
            words[at:at + 1], words[other:other + 1] = words[other:other + 1], words[at:at + 1]
        case 3:
            words[at:at + 1] = [draw.choice(others)]
        case 4:
            words[at:at + 1] = [draw.choice(EXTREME)]
        case 5:
            del words[at:at + near]
        case 6:
            start = draw.randrange(len(others))
            words[at:at] = others[start:start + near]
        case 7:
            words[at:at + 1] = [words[other]]
        case _:
            del words[at:]


def _look(word: str) -> str:
    """The kind of a word: a name, a number, a text in quotes, a blank, or the sign itself."""
    if word[:1] in "\"'" and len(word) > 1:
        return word[0]
    return "1" if word.isdigit() else "a" if word.isidentifier() else " " if word.isspace() else "+"


class Late(BaseException):
    """The time for a program is over."""


def problem(suffix: str, text: str, seconds: float = SECONDS) -> str | None:
    """What is wrong with how a program is refused or run; nothing, if it is None."""
    def late(*_: object) -> None:
        raise Late

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"mutant{suffix}")
        path.write_text(text, errors="surrogatepass")
        os.chdir(folder)
        signal.signal(signal.SIGPROF, late)
        # Seconds of computing: other programs may keep the machine busy.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            return _tried(path)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.chdir(before)


def _tried(path: Path) -> str | None:
    out = io.StringIO()
    stage = "compiling"
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            plan = compile_graph(load(path))
            stage = "running"
            execute(plan, RunOptions(engine="sequential", limit=20))
    except ProgramError as error:
        str(error)
        return None if error.where or error.help else f"no line is underlined: {error}"
    except AnabranchError as error:
        str(error)
    except Late:
        # A program may well run for ever; its compiler may not.
        return "compiling takes for ever" if stage == "compiling" else None
    except BaseException as error:
        return f"{stage}: " + "".join(traceback.format_exception(error)[-3:])
    return None


def _batch(suffix: str, seeds: range, answers) -> None:
    """Tries some mutants in a process of its own; tells each before it begins."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
        for seed in seeds:
            answers.send((seed, None))
            found = problem(suffix, mutant(suffix, seed))
            if found:
                answers.send((seed, found))
    answers.close()


def findings(suffix: str, seeds: range) -> Iterator[tuple[int, str]]:
    """The mutants of some seeds that are handled wrongly, and how."""
    context = multiprocessing.get_context("fork")
    while seeds:
        ours, theirs = context.Pipe(duplex=False)
        batch = seeds[:BATCH]
        process = context.Process(target=_batch, args=(suffix, batch, theirs))
        process.start()
        theirs.close()
        last, ended = batch[0], False
        with contextlib.suppress(EOFError):
            while ours.poll(20 * SECONDS):
                last, found = ours.recv()
                if found:
                    yield last, found
        process.join(1)
        ended = process.exitcode == 0
        if not ended:
            process.kill()
            yield last, f"the process ended with {process.exitcode}"
        seeds = seeds[BATCH:] if ended else range(last + 1, seeds.stop)


def main(seconds: float, seed: int) -> list[tuple[str, str]]:
    """New mutants of each language in turn, for so long."""
    end, found, tried = time.monotonic() + seconds, [], 0
    while time.monotonic() < end:
        for suffix in SOURCES:
            for number, what in findings(suffix, range(seed, seed + BATCH)):
                print(f"{suffix} {number}: {what}", flush=True)
                found.append((f"{suffix} {number}: {what}", TEST.format(
                    suffix=suffix, text=mutant(suffix, number))))
            tried += BATCH
        seed += BATCH
    print(f"mutated programs: {tried}, {len(found)} wrong", flush=True)
    return found


TEST = '''"""Found by `make fuzz`."""

from fuzz.mutated_programs import problem


def test_a_program():
    assert problem({suffix!r}, {text!r}) is None
'''
