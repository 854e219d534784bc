"""The key of an item as words of 64 bits."""

from __future__ import annotations

from anabranch.ir.operators import WHOLE_ITEM
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.values import Rec, Shape, Unsupported, Value, leaves


def key_words(body: Body, item: Shape, by: tuple[str, ...]) -> list[str]:
    """The code of each word; a last word says which parts are None."""
    parts = [leaf for shape in _parts(item, by) for _, leaf in leaves(shape, "")]
    words = [_word(body, part) for part in parts]
    flags = [f"(int64({p.none}) << {n})" for n, p in enumerate(parts)
             if p.none and p.kind not in ("str", "none")]
    return [*words, " | ".join(flags)] if flags else words


def _parts(item: Shape, by: tuple[str, ...]) -> list[Shape]:
    if by == WHOLE_ITEM:
        return [item]
    if not isinstance(item, Rec):
        raise Unsupported("has a key that is no attribute of a record")
    return [item.fields[name] for name in by]


def _word(body: Body, part: Value) -> str:
    if part.kind == "other":
        raise Unsupported("has a key that is neither a number, a text nor a time")
    if part.kind == "none":
        return "0"
    code = body.code(part)
    word = f"float_word({code})" if part.kind == "float" else code
    return f"(0 if {part.none} else {word})" if part.none and part.kind != "str" else word
