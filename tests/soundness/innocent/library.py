"""The standard library where it only computes."""

import base64
import binascii
import calendar
import colorsys
import copy
import csv
import hashlib
import html
import io
import ipaddress
import json
import operator
import struct
import urllib.parse
import zlib
from datetime import date

SETTINGS = {"depth": 2, "names": ["a", "b"]}
BY_SIZE = operator.attrgetter("n")


def map_json_dumps(t):
    return json.dumps({"n": t.n, "word": t.word, "xs": t.xs}, sort_keys=True)


def map_json_loads(t):
    return json.loads('{"a": [1, 2, 3]}')["a"][t.n % 3]


def map_json_round_trip(t):
    return json.loads(json.dumps([t.n, t.word]))


def map_sha256(t):
    return hashlib.sha256(t.word.encode()).hexdigest()


def map_local_hash_object(t):
    digest = hashlib.md5()
    digest.update(t.word.encode())
    digest.update(b"x")
    return digest.hexdigest()


def map_crc(t):
    return zlib.crc32(t.word.encode())


def map_compress(t):
    return zlib.decompress(zlib.compress(t.word.encode())).decode()


def map_base64(t):
    return base64.b64encode(t.word.encode()).decode()


def map_hexlify(t):
    return binascii.hexlify(t.word.encode()).decode()


def map_struct(t):
    return struct.pack("<if", t.n, t.x)


def map_struct_unpack(t):
    return struct.unpack("<h", struct.pack("<h", t.n))[0]


def map_quote(t):
    return urllib.parse.quote(f"{t.word} / {t.n}")


def map_url_parts(t):
    return urllib.parse.urlsplit(f"http://example.org/{t.word}?n={t.n}").path


def map_html_escape(t):
    return html.escape(f"<{t.word}>")


def map_month_range(t):
    return calendar.monthrange(2024, t.n % 12 + 1)[1]


def map_date(t):
    return date(2024, t.n % 12 + 1, 1).isoformat()


def map_ip_address(t):
    return str(ipaddress.ip_address(t.n + 256))


def map_string_io(t):
    out = io.StringIO()
    out.write(t.word)
    out.write(str(t.n))
    return out.getvalue()


def map_csv_row(t):
    return next(csv.reader([f"{t.n},{t.word}"]))


def map_deepcopy_then_change(t):
    settings = copy.deepcopy(SETTINGS)
    settings["names"].append(t.word)
    return settings["names"]


def map_copy_of_list(t):
    xs = copy.copy(t.xs)
    xs.append(1)
    return xs



def map_colour(t):
    return colorsys.rgb_to_hsv(t.n / 60, 0.5, 0.25)[0]


def map_attrgetter(t):
    return BY_SIZE(t)


def map_bytearray(t):
    data = bytearray(t.word.encode())
    data.append(33)
    return bytes(data)


def map_settings(t):
    return SETTINGS["depth"] * t.n
