"""Errors as people read them: what went wrong, where, what was expected, what to do.

>>> print(ProgramError("Trade has no attribute 'prise'", help="did you mean 'price'?"))
error: Trade has no attribute 'prise'
  = help: did you mean 'price'?
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable

from anabranch.core.source import PACKAGE, Span


class AnabranchError(Exception):
    """The root of our errors; `exit_code` is what the command line ends with."""

    exit_code = 1

    def __init__(self, what: str, where: Span | str | None = None, *, expected: str | None = None,
                 got: str | None = None, help: str | None = None, below: str | None = None):
        super().__init__(what)
        self.what, self.where, self.expected, self.got = what, where, expected, got
        self.help, self.below = help, below

    def __str__(self) -> str:
        return "\n".join([f"error: {self.what}", *self._place(), *self._details()])

    def _place(self) -> list[str]:
        if self.where is None:
            return []
        if isinstance(self.where, str):
            return [f"  --> {self.where}"]
        where = f"{self.where.shown_file}:{self.where.line}:{self.where.column + 1}"
        return [f"  --> {where}", *(f"  {line}" for line in self.where.excerpt())]

    def _details(self) -> list[str]:
        labelled = (("expected", self.expected), ("came", self.got), ("help", self.help))
        lines = [f"  = {label}: {text}" for label, text in labelled if text]
        return lines + ([self.below.rstrip("\n")] if self.below else [])

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a notebook: the message says where, our own calls say nothing."""
        return str(self).splitlines()

    def __reduce__(self):
        # The default would call the class with `args` alone and lose the details between processes.
        return _rebuild, (type(self), self.__dict__, self.args)


def _rebuild(kind: type, attributes: dict, args: tuple) -> AnabranchError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error


class ProgramError(AnabranchError):
    """The program is wrong; found before anything runs."""

    exit_code = 2


class NothingToRunError(ProgramError):
    """The text is right, and no program: it declares what others use. `checked` says what."""

    def __init__(self, what: str, where: Span | str | None, checked: str, *,
                 help: str | None = None):
        super().__init__(what, where, help=help)
        self.checked = checked


class UnknownNameError(ProgramError):
    """A name that is none of those that there are: `known` are these."""

    def __init__(self, what: str, where: Span | str | None, name: str, known: Iterable[str], *,
                 help: str | None = None):
        self.name, self.known = name, tuple(map(str, known))
        super().__init__(what, where, help=help or did_you_mean(name, self.known))


class UsageError(AnabranchError):
    """The command or a call of the library is wrong."""

    exit_code = 2


class DataError(AnabranchError):
    """A row of the input is not what the schema says."""


class RunError(AnabranchError):
    """Something failed while running: a user's function, a sink, a worker."""


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A suggestion for a misspelt word, or the list of what there is.

    >>> did_you_mean("prise", ["price", "volume"])
    "did you mean 'price'?"
    """
    known = [str(k) for k in known]
    # It is needed for errors alone.
    import difflib

    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"there is: {', '.join(known)}" if known else None


TOO_DEEP = "maximum recursion depth exceeded"
"""How Python says that its stack is full; in some places it adds what it was about to do."""

DEEP = 16
"""So many frames of a stack that was full are shown."""


def said(error: BaseException) -> str:
    """What an exception says of itself. Where the stack was full depends on what called the
    function, so that is left out.

    >>> said(RecursionError("maximum recursion depth exceeded in comparison"))
    'maximum recursion depth exceeded'
    """
    text = str(error)
    return TOO_DEEP if _is_too_deep(error) and text.startswith(TOO_DEEP) else text


def _is_too_deep(error: BaseException) -> bool:
    return type(error) is RecursionError


def user_traceback(error: BaseException) -> str:
    """The traceback without our own frames: the user's functions and what they called."""
    frames = [f for f in traceback.extract_tb(error.__traceback__)
              if not f.filename.startswith((PACKAGE, "<frozen ", "<generated "))]
    if _is_too_deep(error) and len(frames) > DEEP:
        lines = [*traceback.format_list(frames[:DEEP]), "  ...\n",
                 f"RecursionError: {said(error)}\n"]
    else:
        lines = [*traceback.format_list(frames), *traceback.format_exception_only(error)]
    return without_addresses("".join(["Traceback (most recent call last):\n", *lines]))


def without_addresses(text: str) -> str:
    """The text of an object of which Python only says where it lies: that is another place in each
    process, and in each run.

    >>> without_addresses("<function f at 0x7f2c5ec22f90>")
    '<function f>'
    """
    return _ADDRESS.sub("", text)


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}(?=>)")
