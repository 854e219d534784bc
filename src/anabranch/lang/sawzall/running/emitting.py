"""What happens to an emitted value: it is printed as it comes, written to a stream, or folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from anabranch.lang.sawzall.running.folds import Fold
from anabranch.lang.sawzall.running.places import Command
from anabranch.lang.sawzall.running.runs import STDERR, STDOUT, Run
from anabranch.lang.sawzall.running.showing import Show

Emitter = Callable[[Run, Sequence, object, object], None]
STREAMS = {"/dev/stdout": STDOUT, "/dev/stderr": STDERR}


def prints(name: str, keys: list[Show], value: Show, weight: Show | None) -> Emitter:
    """An emitter that prints `emit NAME[k] <- value weight w;`."""
    def emit(run, key, given, heavy):
        index = "".join(f"[{show(k)}]" for show, k in zip(keys, key))
        after = "" if weight is None else f" weight {weight(heavy)}"
        run.show(STDOUT, f"emit {name}{index} <- {value(given)}{after};\n")
    return emit


def folds(number: int, fold: type[Fold], size: int | None) -> Emitter:
    """An emitter that folds what comes for each key; `repeat` takes what comes many times."""
    def emit(run, key, given, heavy):
        run.fold_at(number, key, made).add(given, heavy)

    def repeat(run, key, given, heavy, count):
        run.fold_at(number, key, made).repeat(given, heavy, count)
    made, emit.repeat, emit.size = partial(fold, size), repeat, size
    emit.known = lambda run: run.folds.get((number, ())) or made()
    return emit


def gathers(number: int, fold: type[Fold], size: int | None) -> Emitter:
    """An emitter that counts how often the same comes, and lets that be folded at the end of a
    chunk; `repeat` takes what has been counted already."""
    def emit(run, key, given, heavy):
        gathered = run.gathered.get(number)
        if gathered is None:
            gathered = run.gathered[number] = emit.repeat, {}
        seen, place = gathered[1], (key, given, heavy)
        seen[place] = seen.get(place, 0) + 1

    emit.repeat = folds(number, fold, size).repeat
    return emit


def counts(number: int) -> Emitter:
    """An emitter that adds up integers."""
    def emit(run, key, given, heavy):
        sums = run.sums[number]
        sums[key] = sums.get(key, 0) + given
    return emit


def writes(run: Run, path: str | Command, given: object) -> None:
    """Puts a value into a file, on a stream, or into a command; it is what the program says, with
    no line end."""
    text = given if isinstance(given, str) else given.decode(errors="surrogateescape")
    run.show(STREAMS.get(path, path), text)


def line_to(stream: int) -> Emitter:
    """An emitter of plain lines, for `stdout` and `stderr`."""
    def emit(run, key, given, heavy):
        run.show(stream, f"{given}\n")
    return emit


def raw_to(stream: int) -> Emitter:
    """An emitter of bytes as they are, for `output`."""
    def emit(run, key, given, heavy):
        run.show(stream, given.decode(errors="surrogateescape"))
    return emit
