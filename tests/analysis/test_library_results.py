"""What functions of the standard library give: each is run, and what analysis says of it holds."""

from __future__ import annotations

import datetime
import decimal
import fractions

import pytest

from anabranch.analysis.effects.purity import Effects
from anabranch.analysis.effects.values import ANYTHING, ELEMENT, KEY, Plain, Shape, ShapeTree
from anabranch.analysis.fact import EffectKind
from anabranch.ir.operators import Map
from analysis.support import Entry, function, single

MODULES = ("base64 binascii calendar cmath colorsys decimal difflib fnmatch hashlib hmac html "
           "ipaddress json math os re shlex statistics string struct textwrap time unicodedata "
           "urllib.parse uuid zlib")
NAMES = {name.split(".")[0]: __import__(name) for name in MODULES.split()} | {
    "UTC": datetime.UTC, "BERLIN": datetime.timezone(datetime.timedelta(hours=1)),
    "D": decimal.Decimal, "F": fractions.Fraction, "DT": datetime.datetime, "DATE": datetime.date,
    "TIME": datetime.time, "DELTA": datetime.timedelta}
ITEM = Entry(1.5, 7, "Ab c1", 2.5, ["x", "yy"], None)

TEXTS = """
lower() upper() strip() lstrip() rstrip() title() capitalize() casefold() swapcase() zfill(9)
replace('a','b') join(['x','y']) center(9) ljust(9) rjust(9) removeprefix('A') removesuffix('c')
expandtabs() startswith('A') endswith('A') isdigit() isalpha() isalnum() isupper() islower()
isspace() isnumeric() isdecimal() isidentifier() istitle() isascii() isprintable() find('b')
rfind('b') index('b') rindex('b') count('b') split() rsplit() splitlines() partition('b')
rpartition('b') encode() format(1) format_map({'a':t.uid}) translate({65:'b'})
"""
BYTES = """
lower() upper() strip() lstrip() rstrip() title() capitalize() swapcase() zfill(9)
replace(b'a',b'b') join([b'x',b'y']) center(9) ljust(9) rjust(9) removeprefix(b'A')
removesuffix(b'c') expandtabs() startswith(b'A') endswith(b'A') isdigit() isalpha() isalnum()
isupper() islower() isspace() istitle() isascii() find(b'b') rfind(b'b') index(b'b') rindex(b'b')
count(b'b') split() rsplit() splitlines() partition(b'b') rpartition(b'b') decode() hex()
"""
DATETIMES = """
isoformat() strftime('%Y') ctime() tzname() timestamp() weekday() isoweekday() toordinal()
replace(year=2020) astimezone(BERLIN) date() time() timetz() isocalendar() timetuple()
utctimetuple() utcoffset() dst()
"""
DATES = """
isoformat() strftime('%Y') ctime() weekday() isoweekday() toordinal() replace(year=2020)
isocalendar() timetuple()
"""
DECIMALS = """
quantize(D('0.1')) normalize() sqrt() exp() ln() log10() copy_abs() copy_negate() copy_sign(D(1))
to_integral_value() to_integral_exact() remainder_near(D(2)) max(D(2)) min(D(2)) fma(D(2),D(3))
scaleb(2) shift(1) rotate(1) next_plus() next_minus() logb() canonical() is_nan() is_finite()
is_infinite() is_zero() is_signed() is_qnan() is_snan() is_normal() adjusted() to_eng_string()
as_integer_ratio()
"""
CALLS = """
math.floor(t.amount) math.ceil(t.amount) math.trunc(t.amount) math.gcd(t.uid,6) math.lcm(t.uid,6)
math.factorial(t.uid) math.comb(t.uid,2) math.perm(t.uid,2) math.isqrt(t.uid) math.isnan(t.amount)
math.isinf(t.amount) math.isfinite(t.amount) math.isclose(t.amount,1) math.prod([t.uid,2])
math.prod([t.amount]) math.frexp(t.amount) math.modf(t.amount) math.sin(t.amount) math.log(t.uid)
math.prod([D(t.uid)]) math.prod([F(t.uid)])
cmath.isnan(t.amount) cmath.isinf(t.amount) cmath.isfinite(t.amount) cmath.isclose(t.amount,1)
cmath.phase(t.amount) cmath.polar(t.amount) cmath.sqrt(t.amount)
statistics.mean([t.amount]) statistics.mean([D(t.uid)]) statistics.mean([F(t.uid,3)])
statistics.mean([t.uid]) statistics.median([t.uid]) statistics.fmean([t.uid])
statistics.geometric_mean([t.uid]) statistics.harmonic_mean([t.uid])
statistics.median_low([t.uid]) statistics.median_high([t.uid]) statistics.median_grouped([t.uid])
statistics.pstdev([t.uid,2]) statistics.pvariance([t.uid,2]) statistics.stdev([t.uid,2])
statistics.variance([t.uid,2]) statistics.covariance([t.uid,2],[1,2])
statistics.correlation([t.uid,2],[1,2]) statistics.quantiles([t.uid,2])
statistics.quantiles([D(t.uid),D(2)]) statistics.quantiles([F(t.uid,2),F(2)])
statistics.mode(t.tags) statistics.multimode(t.tags)
re.sub('a','b',t.name) re.escape(t.name) re.subn('a','b',t.name) re.compile(t.name)
re.match('A',t.name) re.match('z',t.name) re.search('b',t.name) re.search('z',t.name)
re.fullmatch('z',t.name) re.fullmatch('.*',t.name) re.findall('.',t.name)
re.split('b',t.name) re.compile('b').split(t.name) re.compile('b').findall(t.name)
re.compile('A').match(t.name) re.compile('A').search(t.name) re.compile('A').fullmatch(t.name)
re.compile('A').match('z') re.compile('A').search('z') re.compile('A').fullmatch('A')
re.compile('A').sub('b',t.name) re.compile('A').subn('b',t.name)
json.dumps(t.name) json.loads('[1,"a",null,2.5,true]') json.loads('{"a":{"b":[1]}}')
hashlib.pbkdf2_hmac('sha256',t.name.encode(),b'a',1) hashlib.scrypt(b'a',salt=b'a',n=2,r=1,p=1)
textwrap.fill(t.name) textwrap.dedent(t.name) textwrap.indent(t.name,'') textwrap.shorten(t.name,9)
textwrap.wrap(t.name) unicodedata.normalize('NFC',t.name) unicodedata.category(t.tags[0])
unicodedata.name(t.tags[0]) unicodedata.bidirectional(t.tags[0])
unicodedata.east_asian_width(t.tags[0]) unicodedata.decomposition(t.tags[0])
unicodedata.lookup('DIGIT\\u0020ONE') unicodedata.combining(t.tags[0]) unicodedata.digit('1')
unicodedata.decimal('1') unicodedata.mirrored(t.tags[0]) unicodedata.numeric('1')
base64.b64encode(t.name.encode()) base64.b64decode(b'YQ==') base64.b32encode(t.name.encode())
base64.b32decode(b'ME======') base64.b16encode(t.name.encode()) base64.b16decode(b'61')
base64.urlsafe_b64encode(t.name.encode()) base64.urlsafe_b64decode(b'YQ==')
base64.standard_b64encode(t.name.encode()) base64.standard_b64decode(b'YQ==')
base64.a85encode(t.name.encode()) base64.b85encode(t.name.encode()) base64.b85decode(b'VE')
base64.a85decode(b'@/') base64.encodebytes(t.name.encode()) base64.decodebytes(b'YQ==')
binascii.hexlify(t.name.encode()) binascii.unhexlify(b'61') binascii.a2b_hex(b'61')
binascii.b2a_hex(t.name.encode()) binascii.a2b_base64(b'YQ==') binascii.b2a_base64(b'a')
binascii.crc32(t.name.encode()) binascii.crc_hqx(t.name.encode(),0)
struct.pack('i',t.uid) struct.calcsize('i') struct.unpack('i',struct.pack('i',t.uid))
struct.unpack('d?3s',struct.pack('d?3s',t.amount,True,b'abc'))
struct.unpack_from('i',struct.pack('i',t.uid)) zlib.crc32(t.name.encode())
zlib.adler32(t.name.encode()) zlib.compress(t.name.encode())
zlib.decompress(zlib.compress(t.name.encode())) html.escape(t.name) html.unescape(t.name)
urllib.parse.quote(t.name) urllib.parse.quote_plus(t.name) urllib.parse.unquote(t.name)
urllib.parse.unquote_plus(t.name) urllib.parse.urlencode({'a':t.name})
urllib.parse.urljoin('http://a/b',t.name) urllib.parse.urlunsplit(('http','a','b','',''))
urllib.parse.urlunparse(('http','a','b','','',''))
difflib.get_close_matches(t.name,t.tags) calendar.isleap(t.uid) calendar.leapdays(1,t.uid)
calendar.weekday(2020,1,t.uid) calendar.timegm((2020,1,2,3,4,5)) calendar.monthrange(2020,t.uid)
os.path.basename(t.name) os.path.dirname(t.name) os.path.join(t.name,'a') os.path.splitext(t.name)
os.path.normpath(t.name) os.path.normcase(t.name)
os.path.commonpath(t.tags) os.path.isabs(t.name) os.path.split(t.name) os.path.splitdrive(t.name)
uuid.uuid3(uuid.NAMESPACE_DNS,t.name) uuid.uuid5(uuid.NAMESPACE_DNS,t.name)
ipaddress.ip_address('1.2.3.4') ipaddress.ip_address('::1') time.strptime('2020','%Y')
time.gmtime(t.uid) time.localtime(t.uid) time.mktime((2020,1,2,3,4,5,0,0,0))
time.strftime('%Y',(2020,1,2,3,4,5,0,1,0)) time.asctime((2020,1,2,3,4,5,0,1,0)) time.ctime(t.uid)
string.capwords(t.name) shlex.quote(t.name) shlex.join(t.tags) shlex.split(t.name)
fnmatch.fnmatch(t.name,'*') fnmatch.fnmatchcase(t.name,'*') fnmatch.translate(t.name)
colorsys.rgb_to_hsv(t.amount,1,1) colorsys.hsv_to_rgb(t.amount,1,1)
colorsys.rgb_to_hls(t.amount,1,1) colorsys.hls_to_rgb(t.amount,1,1)
hmac.digest(b'a',t.name.encode(),'md5') hmac.compare_digest(t.name,'a')
t.uid.bit_length() t.uid.bit_count() t.uid.conjugate() t.uid.to_bytes(2,'big')
t.uid.as_integer_ratio() t.amount.is_integer() t.amount.hex() t.amount.as_integer_ratio()
t.amount.conjugate() complex(t.amount).conjugate() int.from_bytes(t.name.encode(),'big')
bytes.fromhex('61') float.fromhex('0x1p3') DELTA(t.uid).total_seconds()
F(t.amount).limit_denominator(5) F(t.amount).as_integer_ratio()
DT.fromisoformat('2020-01-02') DT.fromtimestamp(t.uid,UTC)
DT.fromordinal(t.uid) DT.strptime('2020','%Y') DT.combine(DATE(2020,1,2),TIME(3))
DT.fromisocalendar(2020,1,1) DATE.fromisoformat('2020-01-02') DATE.fromtimestamp(t.uid)
DATE.fromordinal(t.uid) DATE.fromisocalendar(2020,1,1) TIME.fromisoformat('03:04') D.from_float(1.5)
F.from_float(t.amount) F.from_decimal(D(t.uid)) TIME(t.uid).isoformat() TIME(1).strftime('%H')
TIME(1,tzinfo=UTC).tzname() TIME(1).replace(hour=t.uid) TIME(1).utcoffset() TIME(1).dst()
TIME(1,tzinfo=UTC).utcoffset() DT(2020,1,t.uid).utcoffset() DT(2020,1,t.uid).dst()
str.maketrans('ab',t.name[:2]) dict.fromkeys(t.tags) range(t.uid).index(3) range(t.uid).count(3)
"""
OF = {"t.name": TEXTS, "b'Ab c'": BYTES, "DT(2020,1,t.uid,tzinfo=UTC)": DATETIMES,
      "DATE(2020,1,t.uid)": DATES, "D(t.uid)": DECIMALS}
EXPRESSIONS = [*CALLS.split(), *(f"{owner}.{call}" for owner in OF for call in OF[owner].split())]


def shown(shape: Shape) -> str:
    """A shape as a text: `list[int | str]`.

    >>> shown(frozenset((ShapeTree(list, ((ELEMENT, frozenset((Plain(int), Plain(str)))),)),)))
    'list[int | str]'
    """
    return " | ".join(sorted(map(_shown, shape))) or "nothing"


def _shown(part: object) -> str:
    if not isinstance(part, (Plain, ShapeTree)):
        return type(part).__name__.lower().removesuffix("object")
    name = getattr(part.cls, "__name__", "some object")
    inside = [(f"{key}: " if key != ELEMENT else "") + shown(held) for key, held in sorted(
        getattr(part, "parts", ()), key=lambda p: repr(p[0]))]
    return f"{name}[{', '.join(inside)}]" if inside else name


def line(text: str, known) -> str:
    """What is known of a text, in one line."""
    effects = "; ".join(sorted({e.reason for e in known.fact.value}))
    return f"{text}\n    {shown(known.outputs[0])}" + (f"; {effects}" if effects else "")


def found(expression: str):
    graph = single(Map(function(f"f = lambda t: {expression}", NAMES)))
    return Effects().of(graph)["op"]


def is_one_of(value: object, shape: Shape) -> bool:
    """Whether analysis says that there may be such a value."""
    return any(_is(value, part) for part in shape)


def _is(value: object, part: object) -> bool:
    if part is ANYTHING:
        return True
    if isinstance(part, Plain):
        return part.cls is type(value)
    if not isinstance(part, ShapeTree) or not (part.cls is type(value) or (
            part.cls is tuple and isinstance(value, tuple))):
        return False
    parts = dict(part.parts)
    if hasattr(value, "__record_fields__"):
        return all(is_one_of(getattr(value, name), parts[name]) for name in value._fields)
    if isinstance(value, dict):
        return all(is_one_of(v, parts[ELEMENT]) for v in value.values()) and all(
            is_one_of(k, parts[KEY]) for k in value)
    return all(is_one_of(v, parts.get(n, frozenset()) | parts.get(ELEMENT, frozenset()))
               for n, v in enumerate(value)) if isinstance(value, (list, tuple)) else True


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_it_gives(expression):
    known = found(expression)
    assert [e.reason for e in known.fact.value] == []
    [shape] = known.outputs
    value = eval(expression, dict(NAMES), {"t": ITEM})
    assert is_one_of(value, shape), (type(value), shape)


def test_all_that_is_known(golden):
    golden("analysis/library.txt", "\n".join(line(e, found(e)) for e in EXPRESSIONS) + "\n")


@pytest.mark.parametrize(("expression", "kind"), [
    ("DT.now()", EffectKind.CLOCK), ("DT.utcnow()", EffectKind.CLOCK),
    ("DATE.today()", EffectKind.CLOCK), ("DT.today()", EffectKind.CLOCK),
    ("time.time()", EffectKind.CLOCK), ("time.localtime()", EffectKind.CLOCK),
    ("time.ctime()", EffectKind.CLOCK), ("time.asctime()", EffectKind.CLOCK),
    ("time.strftime('%Y')", EffectKind.CLOCK), ("time.monotonic()", EffectKind.CLOCK),
    ("uuid.uuid1()", EffectKind.RANDOM), ("uuid.uuid4()", EffectKind.RANDOM),
    ("uuid.getnode()", EffectKind.RANDOM), ("json.load(t.name)", EffectKind.IO),
    ("json.dump(t.name, t.name)", EffectKind.IO), ("re.purge()", EffectKind.IO),
    ("calendar.setfirstweekday(t.uid)", EffectKind.WRITES),
    ("decimal.getcontext()", EffectKind.WRITES), ("decimal.localcontext()", EffectKind.WRITES),
    ("decimal.setcontext(decimal.Context())", EffectKind.WRITES),
    *((f"os.path.{name}(t.name)", EffectKind.IO) for name in (
        "abspath", "realpath", "expanduser", "expandvars", "ismount", "relpath", "lexists",
        "exists", "isfile", "isdir", "getsize", "getmtime", "islink")),
])
def test_what_it_does(expression, kind):
    assert kind in {e.kind for e in found(expression).fact.value}


@pytest.mark.parametrize("expression", [
    "bz2.compress(t.name.encode())", "gzip.decompress(t.name.encode())",
    "lzma.compress(t.name.encode())", "quopri.encodestring(t.name.encode())",
    "keyword.iskeyword(t.name)", "codecs.encode(t.name, 'rot13')", "pprint.pformat(t.name)",
    "reprlib.repr(t.name)", "zoneinfo.ZoneInfo('UTC')", "stringprep.in_table_a1('a')",
    *(f"hashlib.{name}(t.name.encode()).hexdigest()" for name in (
        "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")),
    "string.Template(t.name).substitute({})", "string.Formatter().format('{}', t.name)",
    "heapq.nlargest(2, t.tags)", "bisect.bisect(t.tags, t.name)", "copy.deepcopy(t.tags)",
    "typing.cast(int, t.name)", "itertools.chain(t.tags)", "operator.add(t.uid, 1)",
    "difflib.SequenceMatcher(None, t.name, 'a').ratio()", "ipaddress.ip_network('10.0.0.0/8')",
])
def test_it_only_computes(expression):
    root = expression.split(".")[0]
    graph = single(Map(function(f"f = lambda t: {expression}", {root: __import__(root)})))
    assert [e.reason for e in Effects().of(graph)["op"].fact.value] == []


EFFECTS = {
    EffectKind.RANDOM: ("random.random()", "secrets.token_hex()", "numpy.random.rand()"),
    EffectKind.IO: (
        "os.getpid()", "io.open('x')", "socket.gethostname()", "ssl.create_default_context()",
        "subprocess.getoutput('x')", "shutil.which('x')", "tempfile.gettempdir()", "glob.glob('x')",
        "pathlib.Path('x')", "sys.getrefcount(t)", "logging.getLogger()",
        "threading.get_ident()", "multiprocessing.cpu_count()", "asyncio.new_event_loop()",
        "queue.Queue()", "signal.getsignal(2)", "gc.collect()",
        "pickle.dumps(t)", "csv.list_dialects()", "atexit.register(print)",
        "contextvars.copy_context()", "weakref.ref(t)", "locale.getlocale()",
        "urllib.request.urlopen('x')", "http.client.HTTPConnection('x')"),
}


@pytest.mark.parametrize(("expression", "kind"), [
    (expression, kind) for kind, several in EFFECTS.items() for expression in several])
def test_what_a_module_does(expression, kind):
    module = expression.rpartition("(")[0].rpartition(".")[0]
    root = module.split(".")[0]
    names = {root: __import__(module)}
    graph = single(Map(function(f"f = lambda t: {expression}", names)))
    assert Effects().of(graph)["op"].fact.value[0].kind is kind
