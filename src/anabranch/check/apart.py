"""A process that has seen no tuple: operators are repeated there as by a worker that begins later.

What a function keeps outside its operator stays as it is when the function is called again, and may
so repeat itself. In another process it begins anew, as with every worker of a parallel engine.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from anabranch.check.observe import Firing, Log
from anabranch.check.replay import Subject
from anabranch.ir.graph import Graph
from anabranch.ir.operators import Output

PATIENCE = 60
"""So many seconds at most it takes to repeat the firings of an operator."""

Fired = list[tuple[Output, ...]]


class Apart:
    """Forked before anything is fired; every question is answered by a fork of its own."""

    def __init__(self, graph: Graph):
        self.ours, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if self.process == 0:
            self.ours.close()
            _serve(graph, theirs)
        theirs.close()

    def fired(self, name: str, groups: Sequence[Sequence[Firing]]) -> list[Fired] | None:
        """What an operator gives for each of these groups of tuples, one after the other, each with
        a state of its own; None if that cannot be found out."""
        try:
            self.ours.send_bytes(pickle.dumps((name, groups)))
            return pickle.loads(self.ours.recv_bytes()) if self.ours.poll(PATIENCE) else None
        except Exception:
            # What does not travel between processes is not looked at.
            return None

    def close(self) -> None:
        self.ours.close()
        os.waitpid(self.process, 0)


def _serve(graph: Graph, end: Connection) -> None:
    """The life of the process: it only ever forks."""
    with suppress(EOFError, OSError):
        while True:
            question = end.recv_bytes()
            child = os.fork()
            if child == 0:
                _answer(graph, end, question)
            _, status = os.waitpid(child, 0)
            if status != 0:
                end.send_bytes(pickle.dumps(None))
    os._exit(0)


def _answer(graph: Graph, end: Connection, question: bytes) -> None:
    try:
        # What functions print has been seen.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        name, groups = pickle.loads(question)
        subject = Subject(graph, graph[name], Log())
        end.send_bytes(pickle.dumps([subject.fresh().all_fired(group) for group in groups]))
    except BaseException:
        os._exit(1)
    os._exit(0)
