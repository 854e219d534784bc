"""A small client of the protocol, over the pipes of a server's process."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

SECONDS = 60


class Client:
    """One server for a folder. Diagnostics are kept by file; `settled` waits for those of the last
    text that was sent."""

    def __init__(self, folder: Path, options: dict | None = None):
        self.folder, self.versions, self.serial = folder, {}, 0
        self.diagnostics: dict[tuple[str, int | None], list[dict]] = {}
        self.messages: queue.Queue[dict] = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "anabranch", "lsp"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd=folder, env=os.environ | {"PYTHONPATH": os.pathsep.join(
                filter(None, sys.path))})
        threading.Thread(target=self._listen, daemon=True).start()
        self.capabilities = self.ask("initialize", {
            "processId": os.getpid(), "rootUri": folder.as_uri(), "initializationOptions": options,
            "capabilities": {"general": {"positionEncodings": ["utf-16"]}}})["capabilities"]
        self.tell("initialized", {})

    def open(self, name: str, text: str | None = None) -> str:
        """Opens a file, of which the editor may have another text than the disk."""
        path = self.folder / name
        self.versions[name] = 1
        self.tell("textDocument/didOpen", {"textDocument": {
            "uri": path.as_uri(), "languageId": path.suffix[1:], "version": 1,
            "text": path.read_text() if text is None else text}})
        return path.as_uri()

    def change(self, name: str, text: str) -> None:
        self.versions[name] += 1
        self.tell("textDocument/didChange", {
            "textDocument": {"uri": (self.folder / name).as_uri(), "version": self.versions[name]},
            "contentChanges": [{"text": text}]})

    def settled(self, name: str) -> list[dict]:
        """The diagnostics of the newest text."""
        key = (self.folder / name).as_uri(), self.versions[name]
        while key not in self.diagnostics:
            self._take()
        return self.diagnostics[key]

    def at(self, method: str, name: str, line: int, character: int, **more: object) -> object:
        """Asks about a place; lines and columns count from 0."""
        return self.ask(f"textDocument/{method}", {
            "textDocument": {"uri": (self.folder / name).as_uri()},
            "position": {"line": line, "character": character}, **more})

    def ask(self, method: str, params: object) -> object:
        self.serial += 1
        self._send({"jsonrpc": "2.0", "id": self.serial, "method": method, "params": params})
        while True:
            message = self._take()
            if message.get("id") == self.serial and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def tell(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self) -> int:
        self.ask("shutdown", None)
        self.tell("exit", None)
        status = self.process.wait(SECONDS)
        self.process.stdin.close()
        self.process.stdout.close()
        return status

    def _send(self, message: dict) -> None:
        text = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def _listen(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            if header.lower().startswith(b"content-length:"):
                size = int(header.split(b":")[1])
                while stream.readline().strip():
                    pass
                self.messages.put(json.loads(stream.read(size)))

    def _take(self) -> dict:
        message = self.messages.get(timeout=SECONDS)
        if message.get("method") == "textDocument/publishDiagnostics":
            told = message["params"]
            self.diagnostics[told["uri"], told.get("version")] = told["diagnostics"]
        return message
