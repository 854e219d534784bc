"""The server's end of the analyst: one question at a time, the newest first.

A question that a newer one of the same kind and file overtakes is dropped: a person who types does
not wait for what is out of date. An analyst that ends is started again.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import suppress

Json = dict[str, object]

LIMIT = 64 << 20
"""The longest answer."""


class Overtaken(Exception):
    """A newer question was asked before this one had its answer."""


class Analyst:
    """A process of `anabranch.lsp.analyst`, and those who wait for it."""

    def __init__(self, command: tuple[str, ...] = (sys.executable, "-m", "anabranch.lsp.analyst")):
        self.command = command
        self.process: asyncio.subprocess.Process | None = None
        self.waiting: dict[tuple[str, str], tuple[Json, asyncio.Future[Json]]] = {}
        self.busy: tuple[str, str] | None = None
        self.wakened, self.starting = asyncio.Event(), asyncio.Lock()
        self.task: asyncio.Task[None] | None = None

    async def ask(self, kind: str, path: str, texts: Mapping[str, str], **more: object) -> Json:
        """The answer; `Overtaken` when a newer question of this kind and file is asked."""
        key = (kind, path)
        if key in self.waiting:
            _drop(self.waiting.pop(key)[1])
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self.waiting[key] = {"path": path, "texts": dict(texts), **more}, future
        if self.task is None:
            self.task = asyncio.create_task(self._serve())
        if self.busy is not None and (self.busy == key or kind != "findings"):
            # What is being answered is out of date, or somebody waits for a list.
            self._write({"drop": True})
        self.wakened.set()
        return await future

    async def _serve(self) -> None:
        while True:
            while not self.waiting:
                self.wakened.clear()
                await self.wakened.wait()
            # Who waits for a list goes first.
            key = min(self.waiting, key=lambda key: key[0] == "findings")
            question, future = self.waiting.pop(key)
            self.busy = key
            answer = await self._answer(question)
            self.busy = None
            if answer.get("dropped") and key not in self.waiting:
                self.waiting[key] = question, future
            elif answer.get("dropped"):
                _drop(future)
            elif not future.done():
                future.set_result(answer)

    async def start(self) -> None:
        """Has the process there, before anybody asks or after it has ended."""
        async with self.starting:
            if self.process is None or self.process.returncode is not None:
                self.process = await asyncio.create_subprocess_exec(
                    *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                    limit=LIMIT)

    async def _answer(self, question: Json) -> Json:
        try:
            await self.start()
            self._write(question)
            line = await self.process.stdout.readline()
            return json.loads(line) if line else {"failed": "the analyst ended"}
        except (OSError, ValueError) as error:
            return {"failed": str(error)}

    def _write(self, message: Json) -> None:
        with suppress(OSError, AttributeError):
            self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def end(self) -> None:
        """Lets the process go; it ends with its input."""
        if self.task is not None:
            self.task.cancel()
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()


def _drop(future: asyncio.Future[Json]) -> None:
    if not future.done():
        future.set_exception(Overtaken())
