"""`anabranch lsp`: the language server, which editors start and talk to."""

from __future__ import annotations

import os
import sys

import click

from anabranch.core.errors import UsageError


@click.command(short_help="Serve editors: errors while typing, and what is parallel.")
@click.option("--stdio", is_flag=True, help="Talk on standard input and output, as it does anyway.")
def lsp(stdio: bool) -> None:
    """Serves an editor on standard input and output, in the Language Server Protocol. Editors start
    it; the page "In your editor" of the documentation says how to set them up.

    \b
    Examples:
      anabranch lsp
    """
    try:
        from anabranch.lsp.server import server
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("the language server needs pygls, which is not installed",
                         help="pip install 'anabranch[lsp]'") from None
    if sys.stdin.isatty():
        raise UsageError("the language server is started by an editor, not by hand",
                         help="the page \"In your editor\" says what to put in its settings")
    # What anything else prints must not come between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server().start_io(stdout=answers)
