"""A request to end (a signal, a closed terminal) ends what runs cleanly."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

ENDED_BY = {signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
A_MOMENT = 0.01


class Left(KeyboardInterrupt):
    """A handler of the program's own has ended the run. It may have been called in the midst of one
    of the program's functions, and is no failure of that one."""

    def __init__(self, by: SystemExit):
        self.by = by


class Terminated(KeyboardInterrupt):
    """Somebody asked the process to end, as `kill` and `timeout` do, or a terminal that closes."""

    def __init__(self, number: int):
        self.number = number


class _OwnHandler:
    """A handler of the program's, which may end the run by `sys.exit`."""

    def __init__(self, handle: Callable):
        self.handle = handle

    def __call__(self, number: int, frame: object) -> None:
        try:
            self.handle(number, frame)
        except SystemExit as asked:
            raise Left(asked) from None


def _own_handlers() -> dict[int, _OwnHandler]:
    found = {number: signal.getsignal(number) for number in (*ENDED_BY, signal.SIGINT)}
    return {number: _OwnHandler(handler) for number, handler in found.items()
            if callable(handler) and handler not in (_terminate, signal.default_int_handler)}


@contextmanager
def terminable() -> Iterator[None]:
    """Lets such a request end what runs as Ctrl-C does, so that nothing is left behind."""
    here = threading.current_thread() is threading.main_thread()
    # Who has said what is to happen, as `nohup` does, has said so.
    chosen = [number for number in ENDED_BY
              if here and signal.getsignal(number) is signal.SIG_DFL]
    own = _own_handlers() if here else {}
    for number in chosen:
        signal.signal(number, _terminate)
    for number, handler in own.items():
        signal.signal(number, handler)
    before = sys.unraisablehook
    if here:
        sys.unraisablehook = partial(_not_lost, before)
    try:
        yield
    except Left as left:
        raise left.by from None
    finally:
        sys.unraisablehook = before
        for number, handler in own.items():
            if signal.getsignal(number) is handler:
                signal.signal(number, handler.handle)
        for number in chosen:
            # A function of the program may have said meanwhile what is to happen.
            if signal.getsignal(number) is _terminate:
                signal.signal(number, signal.SIG_DFL)


@contextmanager
def ending_as_asked() -> Iterator[None]:
    """The same in a program of the user's, which then ends as it would have ended without us."""
    try:
        with terminable():
            yield
    except Terminated as ended:
        if signal.getsignal(ended.number) is signal.SIG_DFL:
            os.kill(os.getpid(), ended.number)
        raise


def _not_lost(before: Callable[[object], None], raised: object) -> None:
    """Python drops what is raised while an object is deleted. A request to end is made again."""
    if not isinstance(raised.exc_value, KeyboardInterrupt):
        before(raised)
        return
    number = getattr(raised.exc_value, "number", signal.SIGINT)
    main = threading.main_thread().ident
    again = threading.Timer(A_MOMENT, signal.pthread_kill, (main, number))
    again.daemon = True
    again.start()


def _terminate(number: int, frame: object) -> None:
    raise Terminated(number)
