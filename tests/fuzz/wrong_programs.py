"""Programs in SPL and River with a few words damaged: each runs, or ends in an error of ours that
underlines a place. A traceback, or an error that shows no place, is a finding."""

from __future__ import annotations

import io
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from anabranch.compile import compile_graph, load
from anabranch.core.errors import AnabranchError
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions

ROOT = Path(__file__).parents[2]
PROGRAMS = 400
"""So many of each language are tried at least."""
SECONDS = 4
"""A program that has become endless is ended."""
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\w$]+|//[^\n]*|\s+|.', re.DOTALL)
KINDS = [re.compile(kind, re.DOTALL) for kind in (
    r"[A-Za-z_$]\w*", r"[\d\"].*", r"[-+*/%<>=!&|^.]")]
"""Words that can stand for each other: names, literals, operators."""


def damaged(text: str, draw: random.Random) -> str:
    """The program with one or two of its words left out, written twice, or another one of their
    kind."""
    tokens = TOKEN.findall(text)
    words = [n for n, token in enumerate(tokens) if token.strip() and not token.startswith("//")]
    for _ in range(draw.choice((1, 1, 1, 2))):
        at, how = draw.choice(words), draw.randrange(10)
        kind = next((k for k in KINDS if k.fullmatch(tokens[at])), None)
        others = [tokens[n] for n in words if kind and kind.fullmatch(tokens[n])]
        if how < 2 or not others:
            tokens[at] = "" if how == 0 else f"{tokens[at]} {tokens[at]}"
        else:
            tokens[at] = draw.choice(others)
    return "".join(tokens)


def originals(extension: str) -> list[str]:
    """Programs to be damaged."""
    if extension == ".river":
        return [path.read_text() for path in sorted((ROOT / "examples").rglob("*.river"))]
    from lang.spl import test_spl_language, test_spl_operators
    from lang.spl.spl_support import EXAMPLES, HERE, logic

    texts = [path.read_text() for folder in (EXAMPLES, HERE) for path in sorted(
        folder.glob("*.spl"))]
    texts += [test_spl_operators.PROGRAM.format(graph=graph.replace("{{", "{").replace("}}", "}"))
              for graph, _ in test_spl_operators.CASES.values()]
    return texts + [logic(each) for each in test_spl_language.CASES]


def told(path: Path, text: str) -> str | None:
    """What is wrong with how a program ends; None if nothing is."""
    path.write_text(text)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.RLIM_INFINITY))
        os.write(writing, (_wrong(path) or "").encode()[:60000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, errors="replace") as stream:
        found = stream.read()
    os.waitpid(child, 0)
    return found or None


def _wrong(path: Path) -> str | None:
    try:
        # What a program prints is nobody's.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        with redirect_stdout(io.StringIO()):
            execute(compile_graph(load(path)), RunOptions("sequential", limit=1000))
    except AnabranchError as error:
        text = str(error)
        return None if "^" in text or ("Traceback" not in text and _is_of_files(text)) else text
    except BaseException as error:
        import traceback

        return f"{type(error).__name__}\n{traceback.format_exc()}"
    return None


def _is_of_files(text: str) -> bool:
    """Whether an error is about a file that is not there, or about how the program was called."""
    return bool(re.search(r"cannot (read|write)|there is no (program|file|folder)|--\w", text))


def main(seconds: float, seed: int) -> Iterator[tuple[str, str]]:
    """Damages programs for so long, and so many of them at least."""
    for extension in (".spl", ".river"):
        until, known = time.monotonic() + seconds / 2, set()
        draw, texts, tried = random.Random(seed), originals(extension), 0
        with tempfile.TemporaryDirectory() as folder:
            for beside in (ROOT / "examples").rglob("*.py"):
                if beside.with_suffix(".river").exists():
                    (Path(folder) / beside.name).write_text(beside.read_text())
            while tried < PROGRAMS or time.monotonic() < until:
                tried += 1
                number = draw.randrange(len(texts))
                text = damaged(texts[number], draw)
                name = "market_maker" if extension == ".river" else "wrong"
                wrong = told(Path(folder) / f"{name}{extension}", text)
                if wrong and (first := _kind(wrong)) not in known:
                    known.add(first)
                    yield f"{extension}: {first}", _as_test(extension, text, wrong)
        print(f"  {tried} damaged programs in {extension}", flush=True)


def _kind(wrong: str) -> str:
    """What several findings have in common."""
    lines = [line for line in wrong.strip().splitlines() if line.strip()]
    return f"{lines[0]} {lines[-1]}"[:200]


def _as_test(extension: str, text: str, wrong: str) -> str:
    told_in = "\n".join(f"# {line}" for line in wrong.splitlines()[-12:])
    return (f"{told_in}\n\nfrom fuzz.wrong_programs import told\n\n\n"
            f"def test_it_ends_in_an_error_of_ours(tmp_path):\n"
            f"    assert told(tmp_path / 'wrong{extension}', {text!r}) is None\n")
