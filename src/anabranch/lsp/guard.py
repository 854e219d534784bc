"""What a program may not do while it is typed: write, start processes, connect.

It is no wall against malice, as code in C asks nobody; it keeps an unfinished program from doing by
accident what only a run is meant to do.
"""

from __future__ import annotations

import os
import resource
import sys

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

REFUSED = {
    "os.remove": "removes a file", "os.rename": "renames a file", "os.mkdir": "makes a folder",
    "os.rmdir": "removes a folder", "os.link": "makes a link", "os.symlink": "makes a link",
    "os.truncate": "writes a file", "os.chmod": "changes a file", "os.chown": "changes a file",
    "os.utime": "changes a file", "os.kill": "ends a process", "os.killpg": "ends a process",
    "os.fork": "starts a process", "os.forkpty": "starts a process", "os.exec": "starts a process",
    "os.spawn": "starts a process", "os.posix_spawn": "starts a process",
    "os.system": "starts a process", "subprocess.Popen": "starts a process",
    "pty.spawn": "starts a process", "socket.connect": "connects to a server",
    "socket.bind": "opens a port", "socket.sendto": "sends to a server",
    "socket.getaddrinfo": "looks for a server", "sqlite3.connect": "opens a database",
    "webbrowser.open": "opens a browser",
}
"""Python's own events, and what a program does that raises them."""


class NotWhileEditing(PermissionError):
    """The program would do something that only a run does. Libraries that can live without it take
    it for a file that they may not write."""


def raise_guard() -> None:
    """From now on this process only computes and reads."""
    sys.dont_write_bytecode = True
    # A file that code in C opens stays as long as it was.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple) -> None:
    if event == "open":
        path, mode, flags = arguments
        writes = set(mode or "") & set("wax+") or (isinstance(flags, int) and flags & WRITES)
        if writes and not isinstance(path, int) and path != os.devnull:
            raise NotWhileEditing(f"writes {path}")
    elif event in REFUSED:
        raise NotWhileEditing(REFUSED[event])
