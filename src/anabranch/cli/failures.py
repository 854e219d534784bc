"""How commands end when something goes wrong: a clear message, an exit status."""

from __future__ import annotations

import atexit
import os
import re
import select
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import click

from anabranch.cli.startup import INTERRUPTED
from anabranch.core.errors import PACKAGE, AnabranchError, RunError, said, user_traceback
from anabranch.io.files.output import StandardOutput
from anabranch.runtime.termination import ENDED_BY, Terminated, terminable

TRACEBACK = "ANABRANCH_TRACEBACK"
WORKER = "anabranch worker"
"""How the threads of the multicore engine are called."""


class Commands(click.Group):
    """A group whose commands never end in a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        with failures(), terminable():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which people need them, not of the alphabet."""
        return list(self.commands)


STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""How a standard stream is opened that was closed: using the first two fails, as it should, and
what is said on the third goes nowhere."""


def open_streams() -> None:
    """Has all three standard streams open, so that no file of the run gets the number of one, and
    is then written by whoever means standard output or standard error."""
    for number, (name, mode, flags) in enumerate(STREAMS):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, flags)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


@contextmanager
def past_stuck_workers() -> Iterator[None]:
    """Ends the process also where a worker does not come back from a user's function: Python's own
    way to end may crash over a thread that goes on."""
    try:
        yield
    except SystemExit as leaving:
        stuck = any(thread.daemon and thread.is_alive() and thread.name.startswith(WORKER)
                    for thread in threading.enumerate())
        if stuck and isinstance(leaving.code, int):
            atexit._run_exitfuncs()
            _let_go()
            os._exit(leaving.code)
        raise


def say(text: str, nl: bool = True) -> None:
    """A message on standard error; where it cannot be read, the run is what it is without it."""
    with suppress(OSError, ValueError):
        click.echo(text, err=True, nl=nl)


def show(text: str) -> None:
    """A result of a command, on standard output."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise RunError(f"cannot write to standard output: {error}") from error


@contextmanager
def failures() -> Iterator[None]:
    """Turns what a command raises into a message on standard error and an exit status."""
    try:
        yield
        # Here, and not when the interpreter ends, a closed pipe can still be met quietly.
        StandardOutput().commit()
    except (AnabranchError, BrokenPipeError) as error:
        _leave(0 if is_closed_pipe(error) else _reported(error))
    except Terminated as ended:
        say(ENDED_BY[ended.number])
        _leave(128 + ended.number)
    except KeyboardInterrupt:
        say("interrupted")
        _leave(INTERRUPTED)
    except (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit):
        raise
    except Exception as error:
        _internal(error)
        _leave(1)
    except BaseException as error:
        # What is no Exception is none of ours: a function of the program raised it.
        _leave(_reported(RunError(f"the program raised {type(error).__name__}: {said(error)}",
                                  below="\n" + user_traceback(_behind_us(error)))))


def _behind_us(error: BaseException) -> BaseException:
    """The error with the calls that came after our last one."""
    trace = behind = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
            behind = trace.tb_next
        trace = trace.tb_next
    return error.with_traceback(behind)


def _leave(status: int) -> None:
    _let_go()
    raise click.exceptions.Exit(status)


def _reported(error: AnabranchError) -> int:
    say(coloured(str(error)))
    return error.exit_code


def is_closed_pipe(error: BaseException | None) -> bool:
    """Whether the reader of standard output went away, as `head` does: nothing went wrong. Any
    other pipe that breaks, in a function of the program or a sink, is a failure."""
    while error is not None and not isinstance(error, BrokenPipeError):
        error = error.__cause__
    return error is not None and _has_no_reader(sys.stdout)


def _has_no_reader(stream: TextIO) -> bool:
    try:
        asked = select.poll()
        asked.register(stream.fileno(), 0)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in asked.poll(0))
    except (OSError, ValueError):
        return False


def _let_go() -> None:
    """Sends what is still buffered, and cannot be written, nowhere, so that leaving is quiet."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _internal(error: Exception) -> None:
    if os.environ.get(TRACEBACK):
        say("".join(traceback.format_exception(error)), nl=False)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    say(coloured(f"error: internal error, a fault of anabranch: {what} "
                 f"(for the traceback set {TRACEBACK}=1)"))


def coloured(message: str) -> str:
    """The message with its parts in colour; standard error drops them when it is no terminal.

    >>> coloured("error: no sink").replace(chr(27), "^")
    '^[31m^[1merror^[0m: no sink'
    """
    if os.environ.get("NO_COLOR"):
        return message
    return "\n".join(map(_coloured_line, message.split("\n")))


def _coloured_line(line: str) -> str:
    for pattern, style in _STYLES:
        line = re.sub(pattern, lambda m, style=style: click.style(m[0], **style), line)
    return line


_STYLES = (
    (r"^error(?=: )", {"fg": "red", "bold": True}),
    (r"^  --> .*", {"fg": "blue"}),
    (r"(?<=\| )\s*\^+$", {"fg": "red", "bold": True}),
    (r"^  = help:", {"fg": "green"}),
    (r"^  = [a-z ]+:", {"bold": True}),
)
