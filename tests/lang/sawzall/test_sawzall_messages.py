"""Protocol buffers: declared in a program or in files, from bytes and to them."""

from __future__ import annotations

import pytest

from anabranch.core.errors import ProgramError
from lang.sawzall.szl import lines_in, ran

LOG = """
type Log = {
  user: int = 7 @ 1, rate: float = 0.5 @ 2, when_: time @ 3, raw: bytes @ 5, ok: bool = true @ 6,
  at: { row: int = 21 @ 8, column: float @ 9 } @ 10, tags: array of string @ 11
};
"""


def asserted(program: str) -> None:
    assert ran(program) == ""


def test_a_message_goes_to_bytes_and_back():
    asserted(LOG + """
        log: Log = { 24, 2.0, 255T, {1, 2}, false, { -5, 1.0 }, { "a", "b" } };
        assert(string(bytes(log), "hex") == "0818" + "110000000000000040" + "19ff00000000000000" +
               "2a020102" + "3000" + "5340fbffffffffffffffff0149000000000000f03f54" +
               "5a0161" + "5a0162");
        again: Log = bytes(log);
        assert(again == log && inproto(again.at.row));""")


def test_what_is_absent_has_its_default_and_is_not_written():
    asserted(LOG + """
        log := Log(bytes("0818", "hex"));
        assert(log.user == 24 && log.rate == 0.5 && log.ok && log.at.row == 21);
        assert(len(log.tags) == 0 && len(log.raw) == 0 && log.when_ == 0T);
        assert(inproto(log.user) && !inproto(log.rate) && !inproto(log.at) && !inproto(log.at.row));
        assert(bytes(log) == bytes("0818", "hex") && inprotocount(log) == 1);
        other := log;
        other.at.column = 0.0; other.tags = other.tags + { "x" };
        assert(inproto(other.at) && inproto(other.at.column) && !inproto(other.at.row));
        assert(!inproto(log.at) && inprotocount(other) == 4);
        clearproto(other.user);
        assert(!inproto(other.user) && inproto(log.user));""")


def test_a_place_is_computed_once_where_a_field_is_set():
    asserted("""
        type M = { x: int @ 1 };
        ms: array of M = { M(bytes("")) };
        calls := 0;
        first: function(): int { calls++; return 0; };
        ms[first()].x = 3;
        assert(calls == 1 && inproto(ms[0].x));""")


def test_what_does_not_fit_is_passed_over():
    asserted("""
        type M = { x: bytes @ 1: string, y: int @ 2: int32, z: array of int @ 3 };
        cut := M(bytes("0a03616263108182", "hex"));
        assert(string(cut.x) == "abc" && !inproto(cut.y));
        twice := M(bytes("100518011003", "hex"));
        assert(twice.y == 5 && len(twice.z) == 1);
        packed := M(bytes("1a03010203" + "1804", "hex"));
        assert(string(packed.z) == "{ 1, 2, 3, 4 }");
        unknown := M(bytes("2205aaaaaaaaaa" + "2b3000" + "2c" + "1005", "hex"));
        assert(unknown.y == 5);""")


@pytest.mark.parametrize("data", ["2205aa", "00", "0f", "1c", "2b08"])
def test_bytes_that_are_no_message_have_no_value(data):
    asserted(f'type M = {{ y: int @ 2 }}; assert(!def(M(bytes("{data}", "hex"))));')


def test_tuples_become_messages():
    asserted("""
        type Point = { x: int, near: array of Point };
        type Message = proto Point;
        point: Point = { 1, { { 2, {} } } };
        message: Message = point;
        assert(string(bytes(message), "hex") == "080112020802");
        back: Point = Message(bytes(message));
        assert(back == point);
        assert(string(bytes(convert(proto { a: string }, { "q" })), "hex") == "0a0171");""")


PROTO = """
syntax = "proto2";
import "colors.proto";
package shop;  // of things
message Item {
  required string name = 1 [default = "a\\tb"];
  optional sint32 delta = 2 [default = -7];
  enum Kind { NEW = 0; OLD = 1; }
  optional Kind kind = 3 [default = OLD];
  repeated Part parts = 4;
  repeated Item inner = 5;
  optional Item outer = 6;
  optional group Data = 7 { optional float heavy = 8; }
  repeated int32 numbers = 9 [packed = true];
  optional paint.Shade shade = 10;
  optional bytes type = 11;
  oneof choice { sfixed32 low = 12; fixed64 high = 13; }
  map<string, int32> counts = 14;
  reserved 15, 20 to 30;
  optional paint.Color color = 16 [default = RED];
}
message Part { optional string of = 1; }
service Shop { rpc Buy (Item) returns (Part) { option (x) = 1; } }
"""
COLORS = "package paint; message Shade { optional double dark = 1; } enum Color { RED = 3; }"


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "shop.proto").write_text(PROTO)
    (tmp_path / "colors.proto").write_text(COLORS)
    return lambda program: ran('proto "shop.proto"\n' + program, file=str(tmp_path / "x.szl"))


def test_a_file_declares_messages(shop):
    assert shop("""
        item: shop.Item = bytes("");
        emit stdout <- item.name + string(item.delta) + string(item.color);
        emit stdout <- shop.Item.Kind_names[item.kind] + paint.Color.Color_names[item.color];
        emit stdout <- string(shop.Item.tagnames["Data"]);
        item.kind = shop.Item.NEW; item.parts = { { "x" } }; item.data.heavy = 1.5;
        item.numbers = { 1, 300 }; item.shade.dark = 2.0; item.type_ = B"t"; item.low = -1;
        item.delta = -3; item.outer = bytes(shop.Item(bytes("0a0171", "hex")));
        emit stdout <- string(bytes(item), "hex");
        again := shop.Item(bytes(item));
        assert(again == item && shop.Item(again.outer).name == "q" && again.low == -1);
        """) == ("a\tb-73\nOLDRED\n7\n"
                 "1005180022030a01783203"
                 "0a01713b450000c03f3c480148ac025209090000000000000040"
                 "5a017465ffffffff\n")


def test_bytes_agree_with_the_library_of_protocol_buffers(shop):
    """What another implementation writes is read, and what is written it reads."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    proto, kinds = descriptor_pb2.FileDescriptorProto(name="n.proto"), \
        descriptor_pb2.FieldDescriptorProto
    numbers = proto.message_type.add(name="Numbers")
    values = {"int32": -5, "int64": -(1 << 62), "uint32": 3_000_000_000, "uint64": (1 << 64) - 1,
              "sint32": -5, "sint64": -(1 << 40), "fixed32": 4_000_000_000, "fixed64": 1 << 63,
              "sfixed32": -2, "sfixed64": -(1 << 50), "float": 1.5, "double": -0.1, "bool": True,
              "string": "héé", "bytes": b"\xff\x00"}
    for tag, name in enumerate(values, 1):
        for label, place in (("OPTIONAL", tag), ("REPEATED", tag + 100)):
            numbers.field.add(name=f"{name}_{label.lower()[0]}", number=place,
                              label=kinds.Label.Value(f"LABEL_{label}"),
                              type=kinds.Type.Value(f"TYPE_{name.upper()}"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(proto)
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("Numbers"))
    full = made(**{f"{n}_o": v for n, v in values.items()},
                **{f"{n}_r": [v, v] for n, v in values.items()})
    fields = " ".join(f"optional {n} {n}_o = {t}; repeated {n} {n}_r = {t + 100};"
                      for t, n in enumerate(values, 1))
    found = written(fields, full.SerializeToString().hex())
    assert made.FromString(bytes.fromhex(found)) == full


def written(fields: str, data: str) -> str:
    """What a program writes of a message that it has read."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "n.proto").write_text(f"message Numbers {{ {fields} }}")
        return ran(f'proto "n.proto"\nn := Numbers(bytes("{data}", "hex"));'
                   'emit stdout <- string(bytes(n), "hex");', file=f"{folder}/x.szl").strip()


WRONG = {
    "type M = { x: int @ 1, y: int };": "a message has a tag for each of its fields",
    "type M = { int @ 1 };": "a field of a message needs a name",
    "type M = { x: int @ 0 };": "this cannot be the tag of a field",
    "type M = { x: int @ 1, y: int @ 900000 };": "the tags of a message are too far apart",
    "type M = parsedmessage { x: int };": "a field of a message needs a tag",
    "type M = { x: map[int] of int @ 1 };": "this cannot be a field of a message",
    "type M = { x: { y: int } @ 1 };": "a tuple in a message is one, too",
    "type M = { x: int @ 1: float };": "int cannot be written as float",
    "type M = { x: int @ 1: int256 };": "there is no form 'int256'",
    "n := 1; type M = { x: int = n @ 1 };": "the default value of a field is a literal",
    "t: { x: int } = { 1 }; b := inproto(t.x);": "inproto takes a field of a message",
    "type M = { x: int @ 1 }; m: M; b := bytes(m, {});": "this conversion takes no such parameter",
    "type M = { x: int }; b := bytes(M({ 1 }));": "cannot be converted to bytes",
}


@pytest.mark.parametrize("program", WRONG)
def test_wrong_declarations(program):
    with pytest.raises(ProgramError, match=WRONG[program]) as caught:
        ran(program)
    assert caught.value.where is not None


def test_a_wrong_file_is_shown(tmp_path):
    (tmp_path / "a.proto").write_text("message A {\n  optional int32 x 1;\n}\n")
    (tmp_path / "b.proto").write_text("message B { optional Nothing x = 1; }")
    for name, line in (("a", 2), ("b", 1)):
        with pytest.raises(ProgramError) as caught:
            ran(f'proto "{name}.proto"', file=str(tmp_path / "x.szl"))
        assert (caught.value.where.file, caught.value.where.line) == (
            str(tmp_path / f"{name}.proto"), line)


def test_a_value_may_be_included(tmp_path):
    (tmp_path / "value.data").write_text('"ab" + # a part\n"cd"')
    assert ran('x: string = (include "value.data"); emit stdout <- x;',
               file=str(tmp_path / "x.szl")) == "abcd\n"


def test_messages_on_all_engines(tmp_path):
    """Tables of what lines of hexadecimal digits hold."""
    lines = lines_in(tmp_path, *(f"08{n % 7:02x}12{1:02x}{97 + n % 3:02x}" for n in range(200)))
    program = """type M = { n: int @ 1, s: string @ 2 }; m: M = bytes(string(input), "hex");
        total: table sum[s: string] of int; emit total[m.s] <- m.n;"""
    one = ran(program, (lines,), table_output=True)
    assert one.startswith("total[a] = ") and len(one.splitlines()) == 3
    assert ran(program, (lines,), engine="multicore", workers=2, table_output=True) == one
