"""Protocol buffers as values: tuples that know which of their fields were there.

>>> number = FieldCode(1, "int", "int64", 42)
>>> text = FieldCode(2, "string", "string", "")
>>> pair = MessageCode([number, text])
>>> message = decoded(bytes.fromhex("12026869"), pair)
>>> list(message), message.absent, encoded(message, pair).hex()
([42, 'hi'], {0}, '12026869')
>>> message[0] = 7
>>> encoded(message, pair).hex()
'080712026869'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from struct import Struct

from anabranch.lang.sawzall.library.conversions import text_of_bytes
from anabranch.lang.sawzall.library.values import WHOLE, Message, Undefined, as_int

VARINT, EIGHT, DELIMITED, START, END, FOUR = range(6)
"""How bytes follow a tag."""
LONG, SHORT, DOUBLE, SINGLE = map(Struct, ("<Q", "<I", "<d", "<f"))


@dataclass
class FieldCode:
    """How a field is written: its tag, the type of one of its values, the form of that among bytes,
    and what it is where it is absent."""

    tag: int
    type: str
    form: str
    default: object = None
    repeated: bool = False
    message: MessageCode | None = None
    depth: int = 0
    """How many arrays are around an array of its values, which has no form."""

    def absent(self) -> object:
        """The value of a field that is not there."""
        if self.repeated:
            return []
        return self.default if self.message is None else self.message.empty()


@dataclass
class MessageCode:
    """The fields of a message in their order; a message is delimited by its length, a group by its
    last tag."""

    fields: list[FieldCode]
    delimited: bool = True
    places: dict[int, int] = field(default_factory=dict)

    def place(self, tag: int) -> int | None:
        if not self.places:
            self.places = {each.tag: place for place, each in enumerate(self.fields)}
        return self.places.get(tag)

    def empty(self) -> Message:
        return Message([each.absent() for each in self.fields], set(range(len(self.fields))))


def encoded(values: list, code: MessageCode) -> bytes:
    """The bytes of a tuple: of those of its fields that are there."""
    absent = values.absent if isinstance(values, Message) else ()
    pieces: list[bytes] = []
    for place, (each, value) in enumerate(zip(code.fields, values)):
        if place in absent:
            continue
        if each.depth:
            raise Undefined("an array of arrays is nothing that a protocol buffer has")
        for item in value if each.repeated else (value,):
            pieces += _written(each, item)
    return b"".join(pieces)


def _written(code: FieldCode, value: object) -> Iterator[bytes]:
    if code.message is None:
        kind, data = WRITERS[code.form](value)
        yield varint(code.tag << 3 | kind) + data
        return
    inner = encoded(value, code.message)
    if code.message.delimited:
        yield varint(code.tag << 3 | DELIMITED) + varint(len(inner)) + inner
    else:
        yield varint(code.tag << 3 | START) + inner + varint(code.tag << 3 | END)


def varint(value: int) -> bytes:
    """Seven bits at a time, the least ones first.

    >>> varint(300)
    b'\\xac\\x02'
    """
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def _narrow(value: int) -> int:
    """32 bits with their sign, in 64."""
    return ((value + (1 << 31) & 0xFFFFFFFF) - (1 << 31)) & WHOLE


def _zigzag(value: int) -> int:
    return (value << 1 ^ value >> 63) & WHOLE


def _delimited(value: str | bytes) -> tuple[int, bytes]:
    data = value.encode(errors="surrogatepass") if isinstance(value, str) else value
    return DELIMITED, varint(len(data)) + data


def _float(value: float) -> tuple[int, bytes]:
    try:
        return FOUR, SINGLE.pack(value)
    except OverflowError:
        return FOUR, SINGLE.pack(float("inf") if value > 0 else float("-inf"))


Writer = Callable[[object], tuple[int, bytes]]
WRITERS: dict[str, Writer] = {
    "bool": lambda value: (VARINT, varint(int(value))),
    **dict.fromkeys(("int64", "uint64"), lambda value: (VARINT, varint(value & WHOLE))),
    **dict.fromkeys(("int32", "uint32"), lambda value: (VARINT, varint(_narrow(value)))),
    **dict.fromkeys(("fixed64", "sfixed64"), lambda value: (EIGHT, LONG.pack(value & WHOLE))),
    **dict.fromkeys(("fixed32", "sfixed32"), lambda value: (FOUR, SHORT.pack(value & 0xFFFFFFFF))),
    **dict.fromkeys(("sint32", "sint64"), lambda value: (VARINT, varint(_zigzag(value)))),
    "double": lambda value: (EIGHT, DOUBLE.pack(value)), "float": _float,
    **dict.fromkeys(("string", "bytes"), _delimited),
}


class Unreadable(Exception):
    """A value that is not of the kind that its field has, or that is cut off."""


def decoded(data: bytes, code: MessageCode) -> Message:
    """The message that bytes hold. What no field has is passed over."""
    message, _, last = _group(data, 0, len(data), code)
    if last is not None:
        raise Undefined("a protocol buffer ends with the end of a group that was not begun")
    return message


def _group(data: bytes, place: int, end: int, code: MessageCode) -> tuple[Message, int, int | None]:
    """A message, where it ends, and the tag of the group that ended there."""
    message = code.empty()
    while place < end:
        start = place
        try:
            key, place = _varint(data, place, end)
        except Unreadable:
            raise Undefined("a protocol buffer ends within a tag") from None
        tag, kind = key >> 3, key & 7
        if kind == END:
            return message, place, tag
        if tag == 0 or kind > FOUR:
            raise Undefined(f"byte {start} of a protocol buffer begins no field (is this the "
                            "right type?)")
        number = code.place(tag)
        if number is not None:
            try:
                place = _field(data, place, end, kind, code.fields[number], message, number)
                continue
            except Unreadable:
                pass
        place = _skipped(data, place, end, kind, tag, number is not None)
    return message, place, None


def _field(data: bytes, place: int, end: int, kind: int, code: FieldCode, message: Message,
           number: int) -> int:
    """Puts the value of a field into the message; gives where it ends."""
    if not code.repeated:
        if number not in message.absent:
            # The first of several counts.
            raise Unreadable
        message[number], place = _value(data, place, end, kind, code)
        return place
    if kind == DELIMITED and code.message is None and code.form not in ("string", "bytes"):
        items, place = _packed(data, place, end, code)
    else:
        item, place = _value(data, place, end, kind, code)
        items = [item]
    for _ in range(code.depth):
        items = [items]
    message[number] = [*message[number], *items]
    return place


def _packed(data: bytes, place: int, end: int, code: FieldCode) -> tuple[list, int]:
    """Numbers one after another behind one tag."""
    size, place = _varint(data, place, end)
    last, items = place + size, []
    if last > end:
        raise Unreadable
    kind = WRITERS[code.form](code.default)[0]
    while place < last:
        item, place = _value(data, place, last, kind, code)
        items.append(item)
    return items, last


def _value(data: bytes, place: int, end: int, kind: int, code: FieldCode) -> tuple[object, int]:
    if code.message is not None:
        return _message(data, place, end, kind, code)
    if code.type in ("string", "bytes"):
        if kind != DELIMITED:
            raise Unreadable
        size, place = _varint(data, place, end)
        if place + size > end:
            raise Unreadable
        found = data[place:place + size]
        return (text_of_bytes(found) if code.type == "string" else found), place + size
    if kind in (EIGHT, FOUR):
        return _fixed(data, place, end, kind, code)
    if kind != VARINT or code.type == "float":
        raise Unreadable
    value, place = _varint(data, place, end)
    if code.form in ("sint32", "sint64"):
        value = value >> 1 ^ -(value & 1)
    return _number(code, value), place


def _fixed(data: bytes, place: int, end: int, kind: int, code: FieldCode) -> tuple[object, int]:
    size = 8 if kind == EIGHT else 4
    if place + size > end:
        raise Unreadable
    if code.type == "float":
        form = DOUBLE if kind == EIGHT else SINGLE
        return form.unpack_from(data, place)[0], place + size
    value = (LONG if kind == EIGHT else SHORT).unpack_from(data, place)[0]
    if code.form == "sfixed32" and value >> 31:
        value -= 1 << 32
    return _number(code, value), place + size


def _number(code: FieldCode, value: int) -> object:
    if code.type == "bool":
        return value != 0
    return as_int(value) if code.type == "int" else value & WHOLE


def _message(data: bytes, place: int, end: int, kind: int, code: FieldCode) -> tuple[Message, int]:
    """A message inside of another: delimited by its length, or by a tag."""
    if kind == START:
        message, place, last = _group(data, place, end, code.message)
        if last is None:
            raise Undefined("a group in a protocol buffer has no end")
        return message, place
    if kind != DELIMITED:
        raise Unreadable
    size, place = _varint(data, place, end)
    if place + size > end:
        raise Unreadable
    message, _, last = _group(data, place, place + size, code.message)
    if last is not None:
        raise Undefined("a message in a protocol buffer ends with the end of a group")
    return message, place + size


def _varint(data: bytes, place: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while place < end and shift < 70:
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value & WHOLE, place
    raise Unreadable


def _skipped(data: bytes, place: int, end: int, kind: int, tag: int, known: bool) -> int:
    """Where a field ends that is passed over. A field of ours may be cut off: it is absent then."""
    try:
        if kind == VARINT:
            return _varint(data, place, end)[1]
        if kind == START:
            _, place, last = _group(data, place, end, NOTHING)
            if last is not None:
                return place
            raise Unreadable
        size = {EIGHT: 8, FOUR: 4}.get(kind)
        if size is None:
            size, place = _varint(data, place, end)
        if place + size > end:
            raise Unreadable
        return place + size
    except Unreadable:
        if known:
            return end
        raise Undefined(f"the field with tag {tag} of a protocol buffer is cut off") from None


NOTHING = MessageCode([])


def is_present(values: list, place: int) -> bool:
    """Whether a field was in the bytes that a tuple came from, or was assigned to."""
    return not isinstance(values, Message) or place not in values.absent


def touched(values: list, place: int) -> object:
    """A field of which a part is going to be changed: from then on it is there."""
    if isinstance(values, Message):
        values.absent.discard(place)
    return values[place]


def cleared(values: list, place: int) -> bool:
    """Makes a field absent; its value stays."""
    if not isinstance(values, Message):
        raise Undefined("only what was converted from bytes can be cleared")
    values.absent.add(place)
    return True


def present(values: list, code: MessageCode) -> int:
    """How many fields are there, in the tuple and in those inside of it."""
    found = 0
    for place, (each, value) in enumerate(zip(code.fields, values)):
        if is_present(values, place):
            inner = each.message
            items = value if each.repeated else (value,)
            found += 1 if inner is None else 1 + sum(present(item, inner) for item in items)
    return found
