"""The key of an item as words of 64 bits."""

from __future__ import annotations

from anabranch.ir.operators import WHOLE_ITEM
from anabranch.ir.records import Record
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.carry import Key
from anabranch.kernels.native.values import Rec, Shape, Unsupported, Value, is_plain


def key_words(body: Body, item: Shape, by: tuple[str, ...]) -> tuple[list[str], Key]:
    """The code of each word; a last word says which parts are None."""
    key = Key(*_parts(item, by))
    if not all(map(can_be_key, key.parts)):
        raise Unsupported("has a key that is neither a number, a text, bytes nor a time")
    words = [_word(part, body.code(part)) for part in key.scalars]
    flags = [f"(int64({p.none}) << {n})" for n, p in enumerate(key.scalars) if p.flagged]
    return [*words, " | ".join(flags)] if flags else words, key


def can_be_key(part: Shape | None) -> bool:
    """Whether it can be held as a key, or a part of one."""
    if isinstance(part, Rec):
        return issubclass(part.cls, Record) and all(map(can_be_key, part.fields.values()))
    return is_plain(part) or (isinstance(part, Value) and part.kind == "bytes")


def _parts(item: Shape, by: tuple[str, ...]) -> tuple:
    if by == WHOLE_ITEM:
        return (tuple(item.fields.values()), item.cls) if isinstance(item, Rec) else ((item,), None)
    if by and not isinstance(item, Rec):
        raise Unsupported("has a key that is no attribute of a record")
    return tuple(item.fields[name] for name in by), None


def _word(part: Value, code: str) -> str:
    word = f"float_word({code})" if part.kind == "float" else code
    return f"(0 if {part.none} else {word})" if part.flagged else word
