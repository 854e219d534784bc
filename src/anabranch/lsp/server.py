"""The language server: what editors ask, answered from the last findings."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from anabranch.lang.registry import known_language
from anabranch.lsp.asking import Analyst, Overtaken
from anabranch.lsp.declarations import Declaration, declarations, word_at
from anabranch.lsp.positions import covers, place, position, range_of, size

PAUSE = 0.12
"""So many seconds nobody has typed before a program is looked at."""
LARGEST = 2_000_000
"""A text of more characters is looked at by nobody."""

CAN_LOOK = hasattr(os, "fork")
NO_FORK = "programs are not looked at here, as processes cannot be forked; outlines are there"

KINDS = {
    "class": lsp.SymbolKind.Class, "function": lsp.SymbolKind.Function,
    "field": lsp.SymbolKind.Field, "variable": lsp.SymbolKind.Variable,
    "stream": lsp.SymbolKind.Event, "query": lsp.SymbolKind.Function,
    "type": lsp.SymbolKind.Struct, "table": lsp.SymbolKind.Array,
    "struct": lsp.SymbolKind.Struct, "helper": lsp.SymbolKind.Module,
    "filter": lsp.SymbolKind.Class, "composite": lsp.SymbolKind.Class,
    "handler": lsp.SymbolKind.Method, "parameter": lsp.SymbolKind.TypeParameter,
    "input": lsp.SymbolKind.Event, "output": lsp.SymbolKind.Event, "queue": lsp.SymbolKind.Event,
}
ITEMS = {
    "field": lsp.CompletionItemKind.Field, "method": lsp.CompletionItemKind.Method,
    "function": lsp.CompletionItemKind.Function, "keyword": lsp.CompletionItemKind.Keyword,
    "library": lsp.CompletionItemKind.Function, "variable": lsp.CompletionItemKind.Variable,
    "type": lsp.CompletionItemKind.Struct, "class": lsp.CompletionItemKind.Class,
}


@dataclass
class Known:
    """What was found last of a document."""

    operators: list[dict] = field(default_factory=list)
    hints: list[dict] = field(default_factory=list)


class Server(LanguageServer):
    """A server with an analyst. Its `options` are the client's: `python` is false where programs in
    Python are not to be run, and `seconds` how long each may compute while it is loaded."""

    def __init__(self) -> None:
        super().__init__("anabranch", version("anabranch"))
        self.analyst = Analyst()
        self.known: dict[str, Known] = {}
        self.timers: dict[str, asyncio.Task[None]] = {}
        self.options: dict[str, object] = {}

    def document(self, uri: str) -> TextDocument:
        return self.workspace.get_text_document(uri)

    def is_ours(self, uri: str) -> bool:
        extension = Path(to_fs_path(uri) or "").suffix
        return CAN_LOOK and known_language(extension) is not None and (
            extension != ".py" or self.options.get("python", True) is not False)

    def texts(self) -> dict[str, str]:
        """What the editor has, saved or not."""
        return {to_fs_path(uri): document.source.replace("\r\n", "\n")
                for uri, document in self.workspace.text_documents.items()
                if to_fs_path(uri) and known_language(Path(to_fs_path(uri)).suffix)
                and len(document.source) <= LARGEST}

    async def ask(self, kind: str, uri: str, **more: object) -> dict:
        path = to_fs_path(uri)
        texts = self.texts()
        if path not in texts:
            return {"failed": "the text is too long"}
        if isinstance(seconds := self.options.get("seconds"), int | float):
            more["seconds"] = seconds
        return await self.analyst.ask(kind, path, texts, folder=self.workspace.root_path, **more)

    def look(self, uri: str, pause: float = PAUSE) -> None:
        """Looks at a program as soon as nobody has typed for a moment."""
        if (timer := self.timers.pop(uri, None)) is not None:
            timer.cancel()
        if self.is_ours(uri):
            self.timers[uri] = asyncio.create_task(self._look(uri, pause))

    async def _look(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        document = self.document(uri)
        looked_at = document.version
        try:
            found = await self.ask("findings", uri)
        except Overtaken:
            return
        if uri not in self.workspace.text_documents or document.version != looked_at:
            return
        if "failed" in found:
            problems = [_failed(found["failed"])]
        else:
            self.known[uri] = Known(found["operators"], found["hints"])
            problems = [_diagnostic(document, each) for each in found["problems"]]
            problems += [_failed(found["cut"])] if "cut" in found else []
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, problems, looked_at))
        self._refresh()

    def _refresh(self) -> None:
        """Has the client ask again for hints, which are those of the text before."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)


def _failed(why: str) -> lsp.Diagnostic:
    start = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    return lsp.Diagnostic(start, f"the program could not be looked at: {why}",
                          lsp.DiagnosticSeverity.Warning, source="anabranch")


def _diagnostic(document: TextDocument, problem: dict) -> lsp.Diagnostic:
    return lsp.Diagnostic(range_of(document, problem["span"]), problem["text"],
                          lsp.DiagnosticSeverity(problem["severity"]), source="anabranch")


def hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """What was proved about the operator here: the smallest piece of text that is one's."""
    document = server.document(params.text_document.uri)
    line, column = place(document, params.position)
    found = [(size(span), op["hover"], span)
             for op in server.known.get(document.uri, Known()).operators
             for span in (op["span"], *op["functions"]) if covers(span, line, column)]
    if not found:
        return None
    least = min(found, key=lambda each: each[0])
    said = [text for place_size, text, _ in found if place_size == least[0]]
    text = "\n\n---\n\n".join("  \n".join(lines) for lines in said)
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text),
                     range_of(document, least[2]))


def inlay_hints(server: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    """What is parallel, and why not, at the ends of the operators."""
    document = server.document(params.text_document.uri)
    known, made = server.known.get(document.uri, Known()), []
    for hint in known.hints:
        line = hint["line"] - 1
        if params.range.start.line <= line <= params.range.end.line and line < len(document.lines):
            end = len(document.lines[line].rstrip("\r\n"))
            column = end if hint["column"] is None else hint["column"]
            about = lsp.MarkupContent(lsp.MarkupKind.Markdown, hint["about"])
            made.append(lsp.InlayHint(position(document, line, column), hint["text"],
                                      tooltip=about if hint["about"] else None,
                                      padding_left=True))
    return made


def symbols(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    """The outline: what the text declares, fields within their classes."""
    document = server.document(params.text_document.uri)
    made: list[lsp.DocumentSymbol] = []
    for each in declarations(document.source, _extension(document)):
        symbol = _symbol(document, each)
        if each.kind == "field" and made:
            made[-1].children = [*(made[-1].children or ()), symbol]
            made[-1].range = lsp.Range(made[-1].range.start, symbol.range.end)
        else:
            made.append(symbol)
    return made


def _symbol(document: TextDocument, each: Declaration) -> lsp.DocumentSymbol:
    name = lsp.Range(position(document, each.line, each.column),
                     position(document, each.line, each.column + len(each.name)))
    whole = lsp.Range(lsp.Position(each.line, 0), max(
        position(document, each.last_line, 1 << 20), name.end,
        key=lambda at: (at.line, at.character)))
    return lsp.DocumentSymbol(each.name, KINDS[each.kind], whole, name, each.kind)


def definition(server: Server, params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Where the name here is declared: in this text, or in the functions beside a `.river`."""
    document = server.document(params.text_document.uri)
    line, column = place(document, params.position)
    if line >= len(document.lines) or (name := word_at(document.lines[line], column)) is None:
        return []
    found = _declared(document, name)
    if not found and _extension(document) == ".river":
        beside = Path(to_fs_path(document.uri)).with_suffix(".py")
        if beside.is_file():
            found = _declared(server.document(beside.as_uri()), name.lstrip("$"))
    return found


def _declared(document: TextDocument, name: str) -> list[lsp.Location]:
    return [lsp.Location(document.uri, _symbol(document, each).selection_range)
            for each in declarations(document.source, _extension(document)) if each.name == name]


def _extension(document: TextDocument) -> str:
    return Path(to_fs_path(document.uri) or "").suffix


async def completion(server: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    """Attributes and methods where a dot or a quote stands, the words of our languages."""
    document = server.document(params.text_document.uri)
    if not server.is_ours(document.uri):
        return []
    line, column = place(document, params.position)
    try:
        answer = await server.ask("completion", document.uri, line=line, column=column)
    except Overtaken:
        return []
    return [lsp.CompletionItem(
        item["label"], kind=ITEMS.get(item["kind"], lsp.CompletionItemKind.Variable),
        detail=item["detail"], documentation=item["about"] or None)
        for item in answer.get("items", ())]


def server() -> Server:
    """A server that answers all of it."""
    made = Server()
    feature = made.feature

    @feature(lsp.INITIALIZE)
    def _(ls: Server, params: lsp.InitializeParams) -> None:
        asked = params.initialization_options
        ls.options = asked if isinstance(asked, dict) else {}

    @feature(lsp.INITIALIZED)
    async def _(ls: Server, params: lsp.InitializedParams) -> None:
        if CAN_LOOK:
            # It imports for two seconds; the first file is opened meanwhile.
            await ls.analyst.start()
        else:
            ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, NO_FORK))

    @feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def _(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.look(params.text_document.uri, 0)

    @feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def _(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
        ls.look(params.text_document.uri)

    @feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def _(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
        # What others import, or read beside them, may have changed.
        for uri in list(ls.workspace.text_documents):
            ls.look(uri, 0)

    @feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def _(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.known.pop(uri, None)
        if (timer := ls.timers.pop(uri, None)) is not None:
            timer.cancel()
        ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @feature(lsp.SHUTDOWN)
    def _(ls: Server, params: object) -> None:
        ls.analyst.end()

    feature(lsp.TEXT_DOCUMENT_HOVER)(hover)
    feature(lsp.TEXT_DOCUMENT_INLAY_HINT)(inlay_hints)
    feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(symbols)
    feature(lsp.TEXT_DOCUMENT_DEFINITION)(definition)
    feature(lsp.TEXT_DOCUMENT_COMPLETION,
            lsp.CompletionOptions(trigger_characters=[".", '"', "'"]))(completion)
    return made
