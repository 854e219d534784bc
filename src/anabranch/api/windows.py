"""Windows as users write them.

>>> str(tumbling(count=10)), str(sliding(time=60, step=10, on="ts"))
('tumbling(count=10)', 'sliding(time=60, step=10, on=ts)')
"""

from __future__ import annotations

from datetime import timedelta

from anabranch.errors import ProgramError
from anabranch.ir.join import Keep
from anabranch.ir.windows import Window
from anabranch.source import caller_span

# The attribute of a window by time whose user did not say it: the stream fills in its own.
UNSAID = ""


def tumbling(*, count: int | None = None, time: float | timedelta | None = None,
             on: str | None = None, partial: bool = True, late: str = "error") -> Window:
    """Windows that follow each other: every `count` items, or every `time` of the attribute `on`.

    With `partial=False` windows still open at the end of the input are dropped. An item whose
    window has been emitted already is an error, which `--on-error` may leave out, or dropped with
    `late="drop"`.
    """
    return sliding(count=count, time=time, on=on, partial=partial, late=late)


def sliding(*, count: int | None = None, time: float | timedelta | None = None,
            step: float | timedelta | None = None, on: str | None = None, partial: bool = True,
            late: str = "error") -> Window:
    """Windows of `count` items or of `time`, a new one every `step`."""
    size = _one_size(count, time)
    if count is not None and on is not None:
        raise ProgramError("a window by count has no time attribute", caller_span(),
                           got=f"on={on!r}")
    step = size if step is None else step
    if type(step) is not type(size) and isinstance(size, timedelta) + isinstance(step, timedelta):
        raise ProgramError("a window's size and step are not of one kind", caller_span(),
                           got=f"size {size!r}, step {step!r}")
    if not step > type(step)(0):
        raise ProgramError("a window's step must be above zero", caller_span(), got=repr(step))
    if late not in ("error", "drop"):
        raise ProgramError(f"late={late!r} is not known", caller_span(),
                           expected="'error' or 'drop'")
    return Window(size, step, on if time is None else on or UNSAID, partial, late)


def recent(*, count: int | None = None, time: float | timedelta | None = None,
         on: str | None = None) -> Keep:
    """What a side of a join keeps: its last `count` items, or those of the last `time`.

    `on` names the time attribute of the side's items, if it is not its source's.
    """
    _one_size(count, time, least=0)
    return Keep(count, time, on)


def _one_size(count, time, least: int = 1):
    if (count is None) == (time is None):
        raise ProgramError("a window has a count or a time, one of them", caller_span(),
                           help='for example count=10, or time=60, on="ts"')
    size = count if time is None else time
    if count is not None and (not isinstance(count, int) or count < least):
        raise ProgramError(f"a window's count is a whole number from {least} on", caller_span(),
                           got=repr(count))
    if time is not None and not time > type(time)(0):
        raise ProgramError("a window's time must be above zero", caller_span(), got=repr(time))
    return size
