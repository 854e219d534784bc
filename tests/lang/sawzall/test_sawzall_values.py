"""What expressions are worth: each of these holds, as an assertion of a program."""

from __future__ import annotations

import pytest

from lang.sawzall.szl import ran

LITERALS = r"""
27 == 0b11011 && 27 == 033 && 27 == 0x1B
-1 == -0x1 && -9223372036854775807-1 == -9223372036854775808
'\n' == 10 && '\x40' == 64 && '\072' == 58 && '日' == 0x65e5
"\u65e5"[0] == 0x65e5 && "\061" == "1" && `a\n`[1] == '\\'
B"\xff\u0055" == X"ff55" && X`0a` == B"\n"
.0145 == 1.45e-2 && 2. == 2.0 && 00008. == 8.0
0b1010p == 10P && 18446744073709551615U > 5u
T"Wed Feb 28 13:50:21 PST 2007" == 1172699421000000T
"""
ARITHMETIC = r"""
7 / 2 == 3 && -7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1
9223372036854775807 + 1 == -9223372036854775808
(1 << 63) >> 1 == 1 << 62 && -1 >> 63 == 1
7 & 3 == 3 && 7 ^ 3 == 4 && ~0 == -1 && (4 | 2 | 1) == 7
0U - 1U == 18446744073709551615U && 1U << 63 == 9223372036854775808U
!def(1 / 0) && !def(1 % 0) && !def(1U / 0U)
!def(1.0 / 0.0) && !def(0.0 / 0.0) && -inf < inf
2 + 3 * 4 == 14 && -2 * 3 == -6 && !(1 == 2) && not false
HOUR + MIN == 3660000000T && 90T % MIN == 90T
(true || 1 / 0 == 1) && !(false && 1 / 0 == 1)
!def(true or 1 / 0 == 1)
fingerprintof("abc") == 0x0d05ec653abf0acdP && fingerprintof(B"abc") == fingerprintof("abc")
fingerprintof({"a": 1, "b": 2}) == fingerprintof({"b": 2, "a": 1})
fingerprintof(1) == 0xa6273bd8cfa79a54P && fingerprintof(true) == fingerprintof(1U)
fingerprintof({"1", "2"}) == fingerprintof(0) + fingerprintof("1") + fingerprintof("2")
"""
CONVERSIONS = r"""
bool("true") && bool("Todo") && !bool("") && !bool("not true")
bytes(1, "varint") == X"01" && bytes(-16, "zigzag") == X"1f"
bytes(1, "fixed32-little") == X"01000000" && bytes(1, "szl") == X"0000000000000001"
bytes(3000000000U, "fixed32-big") == X"B2D05E00" && !def(bytes(3000000000, "fixed32-big"))
!def(bytes(1, "unheard of")) && !def(bytes(1099511627776, "fixed32-big"))
bytes("abcd", "hex") == X"ABCD" && !def(bytes("abc", "hex")) && !def(bytes("x", "rot13"))
bytes("üý") == X"C3BCC3BD" && bytes("üý", "latin-1") == X"FCFD" && !def(bytes("日", "latin-1"))
bytes(0x8877665544332211P) == X"8877665544332211"
fingerprint(X"0102030401020304") == 0x0102030401020304P && !def(fingerprint(B"short"))
fingerprint("12345", 16) == 0x12345P && !def(fingerprint("18446744073709551616"))
float("0x1p-1") == 0.5 && !def(float("1e-999")) && float("-1e999") == -inf
float("3.14e2") == 314.0 && !def(float("")) && !def(float("1e1000")) && !def(float("2x"))
int("0253") == 171 && int("0xAB", 0) == 171 && int("377", 8) == 255 && int("-101", 2) == -5
!def(int("")) && !def(int("08")) && !def(int("0x0", 10)) && !def(int("1", 37)) && !def(int("1 "))
int("9223372036854775807") > 0 && !def(int("9223372036854775808"))
int(2.7) == 2 && int(-0.3) == 0 && int(true) == 1 && int(HOUR) == 3600000000
int(18446744073709551615U) == -1 && uint(-1) == 18446744073709551615U
uint("-171") == 18446744073709551445U && int(X"FFFFFFF0", "fixed32-big") == -16
string(377, 8) == "571" && string(-255, 16) == "-ff" && !def(string(1, 1))
string(27000.0) == "27000.0" && string(1.0 / 3.0) == "0.333333333333333"
string(-inf) == "-inf.0" && string(nan) == "nan" && string(1e20) == "1e+20"
string(0P) == "0x0000000000000000P" && string(X"ABCD", "hex") == "abcd"
!def(string(X"6100")) && string(X"ff", "latin-1") == "ÿ" && string(B"a\"") == "a\""
string(X"0aff", "array-literal") == `X"0AFF"` && string(B"hi", "array-literal") == `B"hi"`
string({1, 1.0, "cool", {97, 98}}) == `{ 1, 1.0, "cool", { 97, 98 } }`
string(convert(map[int] of int, {:})) == "{ : }" && string({1} + {2}[1:1]) == "{ 1 }"
string({97: 0, 98: 5}) == "{ 97: 0, 98: 5 }" && string({1U, 2P}) == "{ 1U, 0x0000000000000002P }"
convert(string, {0x65e5, 0x672c}, "unicode") == "日本"
convert(array of int, "日本", "unicode")[1] == 0x672c
convert(array of int, {"1", "0x10"})[1] == 16
convert(map[string] of int, {"a", "1", "b", "2"})["b"] == 2
string(convert(map[array of int] of array of int, {{1}, {2}})) == "{ { 1 }: { 2 } }"
convert(array of int, {B"abcdefgh"}, "szl")[0] == int(B"abcdefgh", "szl")
!def(convert(map[string] of int, {"a", "1", "b"}))
"""
TEXTS = r"""
"日本語"[1:2] == "本" && "abc"[5:9] == "" && "abc"[-4:2] == "ab" && len("日本語") == 3
"abc"[$-1] == 'c' && "abcd"[$/2:$] == "cd" && !def("abc"[3])
strfind("hi", "xhihi") == 1 && strrfind("hi", "xhihi") == 3 && strfind("z", "a") == -1
bytesfind(B"", B"000") == 0 && bytesrfind(B"0", B"000") == 2
strreplace("aaabb", "aa", "a", true) == "aabb" && strreplace("aXaX", "X", "", false) == "aaX"
lowercase("ÀB") == "àb" && uppercase("straße") == "STRAßE" && lowercase("İ") == "i"
matchstrs(`\p{Lu}[\p{Hebrew}-]+`, "aBש-")[0] == "Bש-" && match(`\Qa.b\E`, "a.b")
match("^a.c$", "abc") && !match(`\d`, "abc") && match("[[:digit:]]+", "a1")
matchstrs("(x.)(.*)(.x)", "abcx1234x")[1] == "x1" && matchposns("b(c)", "abc")[2] == 2
len(matchstrs("z", "abc")) == 0 && string(matchposns("(a)|(b)|(c)", "b")) == "{ 0, 1, 0, 0, 0, 1 }"
string(matchstrs("(a)|(b)|(c)", "b")) == `{ "b", "", "b" }`
match(`a(?i)b|c`, "C") && !match(`a(?i)b`, "Ab") && match(`(?:x(?i)y)z`, "xYz")
match(`\x{65e5}\e?\y`, "日y") && match(`(?<n>a)\k<n>\g{-1}`, "aaa") && match(`^a{,2}$`, "a{,2}")
match(`^[[:^digit:]\d-x]+$`, "ab1-") && match(`^[a[]$`, "[") && !def(match("\\" + "L", ""))
len(saw("abcdef", "...", "..", ".")) == 3 && len(saw("abcdef", "abc", "^e", "f")) == 1
string(saw("abc", "x*")) == `{ "" }` && string(saw("abcd", "b", "z")) == `{ "b" }`
string(sawzall("aXbX", submatch `.X`)) == `{ "aX", "bX" }` && len(saw("ab", skip "a", "b")) == 1
len(sawzall("XYZ", `Z*`)) == 3 && len(saw("XYZ", `Z*`, `Z*`, `Z*`)) == 0
saw("SFO:SJC", `^[^:]+`, skip `^:`, `^[^:]+`)[1] == "SJC"
saw("a,b,c", submatch `(.*),`, `.*`)[0] == "a,b"
len(sawn(2, "a:b:c", `[^:]+`, skip ":")) == 2 && len(sawn(3, "a:b:c", `[^:]+`, skip ":")) == 3
len(sawzall("038", regex(int))) == 2 && sawzall("1 .54 -1.2E3", regex(float))[2] == "-1.2E3"
matchstrs(regex(int, 16), "0123456789abcdefg")[0] == "0123456789abcdef"
splitcsvline(B`1, "a, ""b"" ",c`)[1] == B`a, "b" ` && len(splitcsvline(B"a,,b")) == 3
len(splitcsvline(B"")) == 0 && string(splitcsv(B"a\n\nb,c", {2})) == `{ B"", B"", B"c" }`
splitcsv(B"a,b,c\naa,bb,cc", {1, 3})[3] == B"cc"
frombase64(tobase64(B"qwerty", true), true) == B"qwerty" && !def(frombase64(B"M@#$", true))
gunzip(gzip(B"x")) == B"x" && zlibuncompress(zlibcompress(B"y", true), true) == B"y"
!def(load("/there/is/no/such/file")) && !def(getenv("NO_SUCH_VARIABLE_HERE"))
"""
FORMATS = r"""
format("%d|%5d|%-4d|%04d|%x|%o|%X", 1, 2, 3, 4, 255, 8, 255) == "1|    2|3   |0004|ff|10|FF"
format("%x", -1) == "ffffffffffffffff" && format("%u", -1) == "18446744073709551615"
format("%f %.2f %g %e", 1.5, 2.0, 0.1, 12.0) == "1.500000 2.00 0.1 1.200000e+01"
format("%.1f %.0f %.0f %.1e %.2g", 2.25, 0.5, 1.5, 1.25, 0.125) == "2.3 1 2 1.3e+00 0.13"
format("%9b|%9q|%9k|%-4c|%9p", true, "a", 'b', 'c', 1P) == `true|"a"|'b'|c   |0x0000000000000001`
format("%s|%5s|%-3s|%.1s|%q", "a", "b", "c", "de", "f\"\n") == "a|    b|c  |d|" + `"f\"\n"`
format("%c%k%b%p%%", 'x', 'y', true, 255P) == "x'y'true0x00000000000000ff%"
format("%t", 0T) == "Wed Dec 31 16:00:00 PST 1969"
format("%T %T", 7, "s") == "int string" && format("-%s-", {}) == "--"
"""
TIMES = r"""
string(HOUR) == "Wed Dec 31 17:00:00 PST 1969" && string(HOUR, "EST") != string(HOUR)
string(HOUR, "America/New_York") == "Wed Dec 31 20:00:00 EST 1969" && !def(string(HOUR, "Nowhere"))
time("Wed Dec 31 17 PST 1969") == HOUR && time("Dec 31 17:00 1969") == HOUR
time("Wed Dec 31 20:00:00 1969", "EST") == HOUR && !def(time("yesterday"))
time("Wed Apr 23 13:07:56 PST 2003") == T"Wed Apr 23 14:07:56 PDT 2003"
string(T"Mon Feb  9 14:55:44.5 PST 2004") == "Mon Feb  9 14:55:44 PST 2004"
trunctomonth(T"Fri Apr 18 17:59:44 PDT 2003") == T"Tue Apr  1 00:00:00 PST 2003"
trunctosecond(5000001T, "no such zone") == 5000000T && !def(trunctominute(5T, "no such zone"))
trunctoday(T"Sun Feb  2 23:40:08 PST 2003", "America/New_York") == T"Sun Feb  2 21:00:00 PST 2003"
time("28 Feb 2007 13:50:21 GMT") == time("Wed, 28 feb 2007 08:50:21 -0500")
string(0T, "-0330") == "Wed Dec 31 20:30:00 GMT-03:30 1969" && string(0T, "n") != string(0T, "A")
time("Feb 28 13:50 98") == T"Sat Feb 28 13:50:00 PST 1998" && !def(time("28 Feb 13:50:21"))
addmonth(T"Jan 31 10:00:00 2007", 1) == T"Mar  3 10:00:00 2007"
addday(T"Sat Nov  3 01:30:00 PDT 2007") == T"Sun Nov  4 01:30:00 PDT 2007"
!def(string(2147483648000000T)) && def(string(2147483647000000T))
addmonth(T"Fri Apr 18 17:59:44 PDT 2003", -2) == T"Tue Feb 18 17:59:44 PST 2003"
addday(T"Fri Apr 18 17:59:44 PDT 2003") == T"Sat Apr 19 17:59:44 PDT 2003"
hourof(0T) == 16 && dayofmonth(0T) == 31 && yearof(0T, "GMT") == 1970 && dayofweek(0T, "GMT") == 4
monthof(0T, "GMT") == 1 && dayofyear(0T) == 365 && minuteof(MIN) == 1 && secondof(5000000T) == 5
formattime("%Y-%m-%d", 0T, "GMT") == "1970-01-01" && formattime("%H %Z", 0T) == "16 GMT"
"""
OTHERS = r"""
sort({3, 1, 2})[0] == 1 && sortx({"b", "a"})[0] == 1 && max("a", "b") == "b" && min(2T, 1T) == 1T
highbit(0) == 0 && highbit(15) == 4 && highbit(1 << 63) == 64
isnan(sqrt(-1.0)) && isnan(ln(-1.0)) && pow(0.0, -10.0) == inf && round(-2.5) == -3.0
floor(-1.5) == -2.0 && trunc(-1.5) == -1.0 && abs(-5) == 5 && fabs(-5.5) == 5.5 && isnormal(1.0)
haskey({"a": 1}, "a") && lookup({"a": 1}, "b", 7) == 7 && !def({"a": 1}["b"])
len(new(array of int, 3, 9)) == 3 && new(string, 2, 'x') == "xx" && new(bytes, 1, 257) == X"01"
rand() < 1.0 && nrand(5) < 5 && !def(nrand(0)) && def(now())
{"a", "b", {}}[1] == "b" && {1, 2, 3}[$-1] == 3 && {"a": 3}["a"] == 3
?{ if (1 > 2) result "x"; else result "y"; } == "y"
function(n: int): int { return n * 2; }(21) == 42
PI > 3.14 && SECOND == SEC && HOUR == HR
"""


MATCHES = r"""
matchstrs(`foo\Kbar`, "foobar")[0] == "bar" && matchstrs(`\X`, "e\u0301x")[0] == "e\u0301"
matchstrs(`\((?:[^()]|(?R))*\)`, "x(a(b)c)y")[0] == "(a(b)c)"
matchstrs(`(?<=a|bc)d`, "bcd")[0] == "d" && matchstrs(`(?|(a)|(b))`, "b")[1] == "b"
matchstrs(`(?i)ÄX\w`, "äxö äxb")[0] == "äxb" && !match(`ä`, "Ä") && match(`(?i:[à-é])`, "É")
matchstrs(`(?i)[\w.]+\b`, "A.ö")[0] == "A" && match(`(?i)\bx`, "öx")
matchstrs(`(?U)a+(b*?)`, "aaabb")[0] == "a" && matchstrs(`(?U)a+?`, "aaa")[0] == "aaa"
matchstrs(`(?iU:A+)a+`, "aaa")[0] == "aaa" && matchstrs(`(?U)a++`, "aaa")[0] == "aaa"
matchstrs(`(?x) a b # c`, "ab")[0] == "ab" && match(`(?x-i)a # b`, "a")
matchstrs(`a++b`, "aab")[0] == "aab" && !match(`a++a`, "aa")
matchstrs(`(?>a+)b`, "aab")[0] == "aab" && match(`\p{L&}`, "a")
matchstrs(`\p{Greek}+`, "ab\u03b3\u03b4")[0] == "\u03b3\u03b4" && match(`^\p{^Han}\P{Han}$`, "ab")
!def(match("(?P" + "<", "")) && match("^a{2}" + "{3}$", "aaaaaa")
!def(match("\\p" + "{Nosuch}", "a"))
"""


@pytest.mark.parametrize("claim", [
    line for group in (LITERALS, ARITHMETIC, CONVERSIONS, TEXTS, FORMATS, TIMES, OTHERS, MATCHES)
    for line in group.strip().split("\n")])
def test_it_holds(claim, monkeypatch):
    monkeypatch.setenv("TZ", "PST8PDT")
    assert ran(f'assert({claim}); emit stdout <- "held";') == "held\n"


def test_the_time_zone_is_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("TZ", "GMT")
    assert ran("emit stdout <- string(HOUR);") == "Thu Jan  1 01:00:00 GMT 1970\n"
