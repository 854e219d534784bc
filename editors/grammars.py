"""Writes the grammars by which editors highlight our languages, from those of the compilers.

    python editors/grammars.py

`make docs` does it too; a test says when they are out of date.
"""

from __future__ import annotations

import json
from pathlib import Path

from anabranch.lsp.keywords import keywords, library

FOLDER = Path(__file__).parent / "vscode" / "syntaxes"
LANGUAGES = {".cql": "cql", ".szl": "sawzall", ".str": "streamit", ".spl": "spl", ".river": "river"}
TITLES = {"cql": "CQL", "sawzall": "Sawzall", "streamit": "StreamIt", "spl": "SPL",
          "river": "River"}

TYPES = {
    "cql": ("int", "integer", "bigint", "smallint", "byte", "float", "double", "real", "char",
            "varchar", "string", "text", "boolean", "timestamp"),
    "sawzall": ("bool", "bytes", "fingerprint", "float", "int", "string", "time", "uint"),
    "streamit": ("void", "boolean", "bit", "int", "float", "double", "complex", "float2", "float3",
                 "float4", "portal"),
    "spl": ("boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float32", "float64", "decimal32", "decimal64", "decimal128", "rstring", "ustring",
            "timestamp", "blob", "list", "set", "map", "tuple", "enum", "stream"),
    "river": ("int", "float", "str", "bool", "bytes", "list", "timestamp"),
}
CONSTANTS = {"cql": ("true", "false", "null", "now", "unbounded"), "sawzall": ("true", "false"),
             "streamit": ("true", "false", "pi"), "spl": ("true", "false"), "river": ()}
ONLY_BLOCKS = {"begin": r"/\*", "end": r"\*/", "name": "comment.block"}
COMMENTS = {
    "cql": [{"match": r"(//|--|#).*$", "name": "comment.line"}, ONLY_BLOCKS],
    "sawzall": [{"match": r"#.*$", "name": "comment.line"}],
}
SLASHES = [{"match": r"//.*$", "name": "comment.line"}, ONLY_BLOCKS]
ESCAPE = {"match": r"\\.", "name": "constant.character.escape"}


def text(quote: str, escapes: bool = True) -> dict:
    """A text in these quotes, which ends with its line at the latest."""
    return {"begin": quote, "end": f"{quote}|$", "name": "string.quoted",
            **({"patterns": [ESCAPE]} if escapes else {})}


def words(name: str, these: tuple[str, ...], ignores_case: bool = False) -> list[dict]:
    case = "(?i)" if ignores_case else ""
    longest = sorted(set(these), key=lambda word: (-len(word), word))
    return [{"match": rf"{case}(?<![\w$])({'|'.join(longest)})\b", "name": name}] if these else []


def grammar(extension: str) -> dict:
    """Comments, texts and numbers as the language has them; its words as its compiler has them."""
    name = LANGUAGES[extension]
    free = extension == ".cql"
    types, constants = TYPES[name], CONSTANTS[name]
    known = {word.lower() for word in (*types, *constants)}
    own = tuple(word for word in keywords(extension) if word.lower() not in known)
    quotes = [text('"', not free)] + ([] if name == "river" else [text("'", not free)])
    return {
        "name": TITLES[name], "scopeName": f"source.{name}", "fileTypes": [extension[1:]],
        "patterns": [
            *COMMENTS.get(name, SLASHES), *quotes,
            *([text("`", False)] if name in ("sawzall", "river") else []),
            {"match": r"@[A-Za-z_]\w*", "name": "storage.modifier.annotation"},
            {"match": r"\$[A-Za-z_]\w*", "name": "variable.other"},
            {"match": r"\b(0[xX][0-9a-fA-F]+|\d+(\.\d*)?([eE][+-]?\d+)?)\w*",
             "name": "constant.numeric"},
            *words("storage.type", types, free), *words("constant.language", constants, free),
            *words("keyword.control", own, free),
            {"match": rf"(?<![\w$])({'|'.join(library(extension))})(?=\s*[(<])",
             "name": "support.function"} if library(extension) else
            {"match": r"[A-Za-z_]\w*(?=\s*\()", "name": "entity.name.function"},
            {"match": r"->|<-|←|:=|[-+*/%<>=!&|^~?]+", "name": "keyword.operator"},
        ]}


def written(extension: str) -> str:
    return json.dumps(grammar(extension), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each, name in LANGUAGES.items():
        (FOLDER / f"{name}.tmLanguage.json").write_text(written(each))
