"""The functions of the standard toolkit: their types and their Python text.

`T`, `K`, `V` stand for any type, `N` for a number, `I` for an integer, `F` for a floating-point
number, `D` for a decimal one, `C` for a complex one, `S` for a string, `O` for what has an order,
`P` for what may be null; one letter is one type throughout a signature, and `tm` is a time taken
apart. A parameter with `&` is a variable that gets a value: the Python text then gives the result
and these values. `zero` is the result's first value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anabranch.lang.spl.types import (
    NULL,
    TIME_FORMS,
    TIME_PARTS,
    VOID,
    Collection,
    OptionalOf,
    Primitive,
    SplType,
    TupleOf,
    is_complex,
    is_decimal,
    is_float,
    is_integer,
    is_number,
    is_ordered,
    is_string,
    unbounded,
)

Found = dict[str, SplType]


@dataclass(frozen=True)
class Signature:
    """A function: `wraps` says that its result has to be put into the range of its type. One that
    `changes` its first argument takes a variable there; an `impure` one does not only compute."""

    parameters: tuple[str, ...]
    result: str
    text: str
    wraps: bool = False
    changes: bool = False
    impure: bool = False

    def __str__(self) -> str:
        """Its parameters, as people read them.

        >>> str(FUNCTIONS["length"][0]), str(FUNCTIONS["keys"][0])
        ('(string)', '(map<K,V>)')
        """
        given = re.sub(r"\b(?:[NIFDCPSO]|tm)\b", lambda letter: NAMES[letter[0]],
                       ", ".join(self.parameters))
        return f"({given.replace('&', 'mutable ')})"

    @property
    def outs(self) -> list[int]:
        """The places of the variables that get values."""
        return [n for n, each in enumerate(self.parameters) if each.startswith("&")]


NAMES = {"N": "number", "I": "integer", "F": "float", "D": "decimal", "C": "complex",
         "P": "optional", "S": "string",
         "O": "ordered", "tm": "Sys.tm"}
LETTERS: dict[str, Callable[[SplType], bool]] = {
    "N": is_number, "I": is_integer, "F": is_float, "D": is_decimal, "S": is_string,
    "O": is_ordered, "C": is_complex, "P": lambda kind: isinstance(kind, OptionalOf),
    "U": lambda kind: isinstance(kind, TupleOf)}

STRINGS = """
length(S) -> int32: len({0})
lower(S) -> S: {0}.lower()
upper(S) -> S: {0}.upper()
trim(S) -> S: {0}.strip()
trim(S, S) -> S: {0}.strip({1})
ltrim(S) -> S: {0}.lstrip()
ltrim(S, S) -> S: {0}.lstrip({1})
rtrim(S) -> S: {0}.rstrip()
rtrim(S, S) -> S: {0}.rstrip({1})
reverse(S) -> S: {0}[::-1]
substring(S, int32, int32) -> S: substring({0}, {1}, {2})
findFirst(S, S) -> int32: {0}.find({1})
findFirst(S, S, int32) -> int32: find_first({0}, {1}, {2})
findLast(S, S) -> int32: find_last({0}, {1})
findFirstOf(S, S) -> int32: find_first_of({0}, {1})
findFirstOf(S, S, int32) -> int32: find_first_of({0}, {1}, {2})
findFirstNotOf(S, S) -> int32: find_first_not_of({0}, {1})
findFirstNotOf(S, S, int32) -> int32: find_first_not_of({0}, {1}, {2})
findLast(S, S, int32) -> int32: find_last({0}, {1}, {2})
findLastOf(S, S) -> int32: find_last_of({0}, {1})
findLastOf(S, S, int32) -> int32: find_last_of({0}, {1}, {2})
findLastNotOf(S, S) -> int32: find_last_not_of({0}, {1})
findLastNotOf(S, S, int32) -> int32: find_last_not_of({0}, {1}, {2})
startsWith(S, S) -> boolean: {0}.startswith({1})
endsWith(S, S) -> boolean: {0}.endswith({1})
contains(S, S) -> boolean: ({1} in {0})
replace(S, S, S) -> S: {0}.replace({1}, {2})
concat(S, S) -> S: ({0} + {1})
tokenize(S, S, boolean) -> list<S>: tokenized({0}, {1}, {2})
tokenize(S, S, boolean, boolean, &list<S>) -> void: (None, tokenized_by({0}, {1}, {2}, {3}))
csvTokenize(S) -> list<S>: csv_tokenized({0})
regexMatch(S, S) -> list<S>: matched({0}, {1})
regexMatchPerl(S, S) -> list<S>: matched({0}, {1})
regexReplace(S, S, S, boolean) -> S: replaced({0}, {1}, {2}, {3})
regexReplacePerl(S, S, S, boolean) -> S: replaced({0}, {1}, {2}, {3})
toCharacterCode(S) -> uint32: ord(({0} or '\\0')[0])
toCharacterCode(S, int32) -> uint32: ord(item({0}, {1}))
interpretRStringLiteral(rstring) -> rstring: interpreted({0})
interpretUStringLiteral(rstring) -> ustring: interpreted({0})
makeRStringLiteral(rstring) -> rstring: quote({0})
makeUStringLiteral(ustring) -> rstring: quote({0})
convertToUtf8(list<uint8>, rstring) -> rstring: decoded({0}, {1})
convertFromUtf8(rstring, rstring) -> list<uint8>: list(encoded({0}, {1}))
strtod(rstring) -> float64: number_at_start({0})[0]
strtod(rstring, &int32) -> float64: number_at_start({0})
strtoll(rstring, int32) -> int64: parsed_start({0}, {1}, -2**63, 2**63 - 1)[0]
strtoll(rstring, int32, &int32) -> int64: parsed_start({0}, {1}, -2**63, 2**63 - 1)
strtoull(rstring, int32) -> uint64: parsed_start({0}, {1}, 0, 2**64 - 1)[0]
strtoull(rstring, int32, &int32) -> uint64: parsed_start({0}, {1}, 0, 2**64 - 1)
convertToBlob(S) -> blob: {0}.encode()
convertFromBlob(blob) -> rstring: text_in({0})
toString(T) -> rstring: shown({0}, True)
flatten(list<S>) -> S: ''.join({0})
join(list<S>, S) -> S: {1}.join({0})
"""
COLLECTIONS = """
size(list<T>) -> int32: len({0})
size(set<T>) -> int32: len({0})
size(map<K,V>) -> int32: len({0})
size(blob) -> int32: len({0})
has(map<K,V>, K) -> boolean: ({1} in {0})
has(set<T>, T) -> boolean: ({1} in {0})
has(list<T>, int32) -> boolean: (0 <= {1} < len({0}))
keys(map<K,V>) -> list<K>: list({0})
keys(map<K,V>) -> set<K>: set_of({0})
values(map<K,V>) -> list<V>: list({0}.values())
toSet(list<T>) -> set<T>: set_of({0})
toList(set<T>) -> list<T>: list({0})
distinct(list<T>) -> list<T>: list(set_of({0}))
distinctCount(list<T>) -> int32: len(set_of({0}))
countDistinct(list<T>) -> int32: len(set_of({0}))
find(list<T>, T) -> list<int32>: places_of({0}, {1})
findOf(list<T>, list<T>) -> list<int32>: places_among({0}, {1}, True)
findNotOf(list<T>, list<T>) -> list<int32>: places_among({0}, {1}, False)
lexicographicalCompare(list<O>, list<O>) -> int32: compared({0}, {1})
pairwiseCompare(list<O>, O) -> list<int32>: [compared(x, {1}) for x in {0}]
pairwiseCompare(O, list<O>) -> list<int32>: [compared({0}, x) for x in {1}]
pairwiseCompare(list<O>, list<O>) -> list<int32>: all_compared({0}, {1})
pairwiseMin(list<O>, list<O>) -> list<O>: [min(x, y) for x, y in zip({0}, {1})]
pairwiseMax(list<O>, list<O>) -> list<O>: [max(x, y) for x, y in zip({0}, {1})]
selectFromList(list<boolean>, list<T>, list<T>) -> list<T>: chosen({0}, {1}, {2})
sort(list<O>) -> list<O>: sorted({0})
sortIndices(list<O>) -> list<uint32>: sorted_indices({0})
at(list<T>, list<I>) -> list<T>: [item({0}, i) for i in {1}]
insert(list<T>, T, int32) -> list<T>: inserted({0}, {1}, {2})
insert(list<T>, list<T>, int32) -> list<T>: all_inserted({0}, {1}, {2})
insert(set<T>, T) -> set<T>: set_of([*{0}, {1}])
insert(map<K,V>, K, V) -> map<K,V>: {{**{0}, {1}: {2}}}
remove(list<T>, int32) -> list<T>: removed({0}, {1}, {1})
remove(list<T>, int32, int32) -> list<T>: removed({0}, {1}, {2})
remove(list<T>, list<int32>) -> list<T>: all_removed({0}, {1})
remove(set<T>, T) -> set<T>: without({0}, {1})
remove(map<K,V>, K) -> map<K,V>: without({0}, {1})
setUnion(set<T>, set<T>) -> set<T>: set_of([*{0}, *{1}])
setIntersection(set<T>, set<T>) -> set<T>: set_of([x for x in {0} if x in {1}])
setDifference(set<T>, set<T>) -> set<T>: set_of([x for x in {0} if x not in {1}])
countItem(list<T>, T) -> int32: {0}.count({1})
findLast(list<T>, T) -> int32: last_index_of({0}, {1})
findLast(list<T>, T, int32) -> int32: last_index_of({0}, {1}, {2})
findLast(list<T>, list<T>, int32) -> int32: last_run_in({0}, {1}, {2})
findFirstOf(list<T>, list<T>) -> int32: index_among({0}, {1}, True)
findFirstOf(list<T>, list<T>, int32) -> int32: index_among({0}, {1}, True, {2})
findFirstNotOf(list<T>, list<T>) -> int32: index_among({0}, {1}, False)
findFirstNotOf(list<T>, list<T>, int32) -> int32: index_among({0}, {1}, False, {2})
findLastOf(list<T>, list<T>, int32) -> int32: last_among({0}, {1}, {2}, True)
findLastNotOf(list<T>, list<T>, int32) -> int32: last_among({0}, {1}, {2}, False)
blobSize(blob) -> uint64: len({0})
reverse(list<T>) -> list<T>: {0}[::-1]
concat(list<T>, list<T>) -> list<T>: ({0} + {1})
slice(list<T>, int32, int32) -> list<T>: sliced({0}, {1}, {1} + {2})
slice(list<T>, int32, int32, int32) -> list<T>: parts({0}, {1}, {2}, {3}, 0)
slice(list<T>, int32, int32, int32, int32) -> list<T>: parts({0}, {1}, {2}, {3}, {4})
findFirst(list<T>, T) -> int32: index_of({0}, {1})
findFirst(list<T>, T, int32) -> int32: index_of({0}, {1}, {2})
findFirst(list<T>, list<T>) -> int32: run_in({0}, {1})
findFirst(list<T>, list<T>, int32) -> int32: run_in({0}, {1}, {2})
lowerBound(list<O>, O) -> int32: sorted_place({0}, {1})
makeSequence(N, int32) -> list<N>: [{0} + i for i in range({1})]
makeSequence(N, int32, N) -> list<N>: sequence({0}, {1}, {2})
makeSequence(S, int32) -> list<S>: [{0} + str(i) for i in range({1})]
range(list<T>) -> list<int32>: numbers(0, len({0}))
range(I) -> list<I>: numbers(0, {0})
range(I, I) -> list<I>: numbers({0}, {1})
range(I, I, I) -> list<I>: numbers({0}, {1}, {2})
appendM(list<T>, T) -> void!: appended({0}, {1})
appendM(&blob, uint8) -> void: (None, {0} + bytes([{1}]))
appendM(&blob, list<uint8>) -> void: (None, {0} + bytes({1}))
clearM(&blob) -> void: (None, b'')
concatM(list<T>, list<T>) -> void!: {0}.extend({1})
concatM(set<T>, set<T>) -> void!: {0}.update({1})
insertM(list<T>, T, int32) -> void!: inserted_at({0}, {1}, {2})
insertM(list<T>, list<T>, int32) -> void!: all_inserted_at({0}, {1}, {2})
insertM(set<T>, T) -> void!: {0}.__setitem__({1}, 0)
insertM(map<K,V>, K, V) -> void!: {0}.__setitem__({1}, {2})
removeM(list<T>, int32) -> void!: dropped_at({0}, {1}, {1})
removeM(list<T>, int32, int32) -> void!: dropped_at({0}, {1}, {2})
removeM(list<T>, list<int32>) -> void!: all_dropped({0}, {1})
removeM(set<T>, T) -> void!: dropped({0}, {1})
removeM(map<K,V>, K) -> void!: dropped({0}, {1})
clearM(list<T>) -> void!: cleared({0})
clearM(set<T>) -> void!: cleared({0})
clearM(map<K,V>) -> void!: cleared({0})
sortM(list<O>) -> void!: {0}.sort()
reverseM(list<T>) -> void!: {0}.reverse()
"""
NUMBERS = """
abs(N) -> N*: abs({0})
abs(complex32) -> float32*: abs({0})
abs(complex64) -> float64: abs({0})
real(complex32) -> float32: {0}.real
real(complex64) -> float64: {0}.real
imag(complex32) -> float32: {0}.imag
imag(complex64) -> float64: {0}.imag
sqrt(C) -> C*: complex_function('sqrt', {0})
exp(C) -> C*: complex_function('exp', {0})
log(C) -> C*: complex_function('log', {0})
ln(C) -> C*: complex_function('log', {0})
log10(C) -> C*: complex_function('log10', {0})
lg(C) -> C*: complex_function('log10', {0})
pow(C, C) -> C*: complex_function('pow', {0}, {1})
isNaN(C) -> boolean: ({0} != {0})
isInf(C) -> boolean: (math.inf in (abs({0}.real), abs({0}.imag)))
isPresent(P) -> boolean: ({0} is not None)
min(O, O) -> O: min({0}, {1})
max(O, O) -> O: max({0}, {1})
min(list<O>) -> O: extreme({0}, False, {zero})
max(list<O>) -> O: extreme({0}, True, {zero})
kthelem(list<O>, uint32) -> O: kth({0}, {1})
median(list<O>) -> O: median({0}, {zero})
stddev(list<N>) -> N*: spread({0}, False, {zero})
stddev(list<N>, boolean) -> N*: spread({0}, {1}, {zero})
abs(list<N>) -> list<N>: [abs(x) for x in {0}]
sum(list<N>) -> N*: total({0})
avg(list<I>) -> I: whole_mean({0})
avg(list<I>) -> float64: mean({0})
avg(list<N>) -> N*: mean({0})
product(list<N>) -> N*: product({0})
ceil(F) -> F: ceil({0})
trunc(F) -> F: truncated({0})
floor(F) -> F: floor({0})
round(F) -> F: rounded({0})
ceil(D) -> D: {0}.to_integral_value('ROUND_CEILING')
floor(D) -> D: {0}.to_integral_value('ROUND_FLOOR')
round(D) -> D: {0}.to_integral_value('ROUND_HALF_UP')
trunc(D) -> D: {0}.to_integral_value('ROUND_DOWN')
sqrt(F) -> F*: root({0})
sqrt(I) -> I: math.isqrt(max({0}, 0))
sqrt(D) -> D*: {0}.sqrt()
exp(F) -> F*: real('exp', {0})
log(F) -> F*: real('log', {0})
log10(F) -> F*: real('log10', {0})
log2(F) -> F*: real('log2', {0})
pow(F, F) -> F*: real('pow', {0}, {1})
pow(I, I) -> I*: whole_power({0}, {1})
pow(D, D) -> D*: ({0} ** {1})
exp(D) -> D*: {0}.exp()
log(D) -> D*: {0}.ln()
ln(D) -> D*: {0}.ln()
log10(D) -> D*: {0}.log10()
lg(D) -> D*: {0}.log10()
ln(F) -> F*: real('log', {0})
lg(F) -> F*: real('log10', {0})
sin(F) -> F*: real('sin', {0})
cos(F) -> F*: real('cos', {0})
tan(F) -> F*: real('tan', {0})
asin(F) -> F*: real('asin', {0})
acos(F) -> F*: real('acos', {0})
atan(F) -> F*: real('atan', {0})
atan2(F, F) -> F*: real('atan2', {0}, {1})
sinh(F) -> F*: real('sinh', {0})
cosh(F) -> F*: real('cosh', {0})
tanh(F) -> F*: real('tanh', {0})
fmod(F, F) -> F*: real('fmod', {0}, {1})
min(list<N>, list<N>) -> list<N>: [min(x, y) for x, y in pairs({0}, {1})]
max(list<N>, list<N>) -> list<N>: [max(x, y) for x, y in pairs({0}, {1})]
log1p(F) -> F*: real('log1p', {0})
exp2(F) -> F*: real('exp2', {0})
cbrt(F) -> F*: real('cbrt', {0})
hypot(F, F) -> F*: real('hypot', {0}, {1})
isNaN(N) -> boolean: ({0} != {0})
isInf(D) -> boolean: {0}.is_infinite()
nanw() -> float32: math.nan
nanl() -> float64: math.nan
infw() -> float32: math.inf
infl() -> float64: math.inf
isNan(F) -> boolean: ({0} != {0})
isInf(F) -> boolean: (abs({0}) == math.inf)
isnan(F) -> boolean: ({0} != {0})
isinf(F) -> boolean: (abs({0}) == math.inf)
PI() -> float64: math.pi
E() -> float64: math.e
random() -> float64!!: a_random()
random(int32) -> list<float64>!!: [a_random() for _ in range({0})]
srand(int32) -> int32!!: seeded({0})
hashCodeForEach(list<T>) -> list<uint64>: [hash_code(x) for x in {0}]
hashCode(T) -> uint64: hash_code({0})
"""
TIMES = """
getTimestamp() -> timestamp!!: now()
getTimestampInSecs() -> float64!!: elapsed(now(), Timestamp(0))
createTimestamp(int64, uint32) -> timestamp: Timestamp({0}, {1})
createTimestamp(int64, uint32, int32) -> timestamp: Timestamp({0}, {1}, {2})
getSeconds(timestamp) -> int64: {0}.seconds
getNanoseconds(timestamp) -> uint32: {0}.nanoseconds
getMachineId(timestamp) -> int32: {0}.machineId
getCPUCounterInNanoSeconds() -> int64!!: counter()
add(timestamp, float64) -> timestamp: moved({0}, {1})
add(timestamp, int64) -> timestamp: moved_by({0}, {1})
diffAsSecs(timestamp, timestamp) -> float64: elapsed({0}, {1})
diffAsNanos(timestamp, timestamp) -> int64: nanoseconds_between({0}, {1})
toDecimal128(timestamp) -> decimal128: decimal_time({0})
fromDecimal128(decimal128) -> timestamp: from_decimal({0})
time(timestamp, &tm) -> void: (None, {zero_tm}(*broken_apart({0})))
time(timestamp, rstring, &tm) -> void: (None, {zero_tm}(*broken_apart({0}, {1})))
gmtime(timestamp, &tm) -> void: (None, {zero_tm}(*broken_apart({0})))
toTimestamp(tm) -> timestamp: put_together({0})
toTimestamp(tm, boolean) -> timestamp: put_together({0})
toTimestamp(form, S) -> timestamp: time_in({0}, {1})
toTimestamp(form, S, S) -> timestamp: time_in({0}, {1}, {2})
strftime(tm, rstring) -> rstring: formatted({0}, {1})
strptime(rstring, rstring, &tm, &uint32) -> void: read_tm({0}, {1}, {zero_tm})
year(timestamp) -> uint32: broken_down({0}).tm_year
gmyear(timestamp) -> uint32: broken_down({0}).tm_year
month(timestamp) -> uint32: (broken_down({0}).tm_mon - 1)
gmmonth(timestamp) -> uint32: (broken_down({0}).tm_mon - 1)
day(timestamp) -> uint32: broken_down({0}).tm_mday
gmday(timestamp) -> uint32: broken_down({0}).tm_mday
hour(timestamp) -> uint32: broken_down({0}).tm_hour
gmhour(timestamp) -> uint32: broken_down({0}).tm_hour
minute(timestamp) -> uint32: broken_down({0}).tm_min
gmminute(timestamp) -> uint32: broken_down({0}).tm_min
second(timestamp) -> uint32: broken_down({0}).tm_sec
gmsecond(timestamp) -> uint32: broken_down({0}).tm_sec
dayOfWeek(timestamp) -> uint32: ((broken_down({0}).tm_wday + 1) % 7)
gmdayOfWeek(timestamp) -> uint32: ((broken_down({0}).tm_wday + 1) % 7)
dayOfYear(timestamp) -> uint32: (broken_down({0}).tm_yday - 1)
gmdayOfYear(timestamp) -> uint32: (broken_down({0}).tm_yday - 1)
ctime(timestamp) -> rstring: time_text({0})
timeStringtoTimestamp(rstring, rstring, boolean) -> timestamp: time_of({0}, {1})
timeStringToTimestamp(rstring, rstring, boolean) -> timestamp: time_of({0}, {1})
timeStringToTimestamp(S, S, S, boolean) -> timestamp: time_of({0}, {1}, {2})
block(float64) -> void!!: paced({0})
isShutdown() -> boolean: False
getChannel() -> int32: (-1)
getLocalChannel() -> int32: (-1)
getMaxChannels() -> int32: 0
getLocalMaxChannels() -> int32: 0
getAllChannels() -> list<int32>: []
getAllMaxChannels() -> list<int32>: []
getEnvironmentVariable(rstring) -> rstring!!: environment({0})
getEnvironmentVariable(rstring, rstring) -> rstring!!: environment({0}, {1})
getRelaunchCount() -> uint32: 0
jobID() -> uint64: 0
PEID() -> uint64: 0
isInConsistentRegion() -> boolean: False
getConsistentRegionIndex() -> int32: (-1)
flushStdio() -> void: None
swap(&T, &T) -> void: (None, {1}, {0})
diff(timestamp, timestamp) -> float64: elapsed({0}, {1})
assert(boolean) -> void: asserted({0})
assert(boolean, rstring) -> void: asserted({0}, {1})
abort() -> void: aborted()
"""

FILES = """
fopen(S, S, &int32) -> uint64!!: file_opened({0}, {1})
fclose(uint64, &int32) -> int32!!: file_closed({0})
fflush(uint64, &int32) -> int32!!: file_flushed({0})
ftell(uint64, &int32) -> int64!!: file_place({0})
fseek(uint64, int64, int32, &int32) -> void!!: (None, file_moved({0}, {1}, {2}))
rewind(uint64) -> void!!: file_moved({0}, 0, 0)
feof(uint64) -> boolean!!: file_at_end({0})
freadLine(uint64, &int32) -> rstring!!: line_read({0})
freadToken(uint64, &int32) -> rstring!!: word_read({0})
freadfile(&blob, uint64, &int32) -> void!!: (None, *bytes_read({1}, None))
fwriteString(S, uint64, &int32) -> void!!: (None, text_written({0}, {1}))
fwriteTxt(T, uint64, &int32) -> void!!: (None, text_written(shown({0}, True), {1}))
fwriteblob(blob, uint64, &int32) -> void!!: (None, bytes_written({0}, {1}))
mkdir(rstring, uint32, &int32) -> void!!: (None, folder_made({0}, {1}))
remove(S, &int32) -> void!!: (None, path_removed({0}))
optSEEK_SET() -> int32: 0
optSEEK_CUR() -> int32: 1
optSEEK_END() -> int32: 2
isEOF(int32) -> boolean: ({0} == -1)
isENOENT(int32) -> boolean: is_error({0}, 'ENOENT')
isEACCES(int32) -> boolean: is_error({0}, 'EACCES')
isEBADF(int32) -> boolean: is_error({0}, 'EBADF')
isEIO(int32) -> boolean: is_error({0}, 'EIO')
isEISDIR(int32) -> boolean: is_error({0}, 'EISDIR')
isENOTDIR(int32) -> boolean: is_error({0}, 'ENOTDIR')
isEINVAL(int32) -> boolean: is_error({0}, 'EINVAL')
"""

_LINE = re.compile(r"(\w+)\((.*?)\) -> ([\w<>,]+)([!*]*): (.*)")


def _table(text: str) -> dict[str, tuple[Signature, ...]]:
    found: dict[str, tuple[Signature, ...]] = {}
    for name, given, result, marks, python in _LINE.findall(text):
        parameters = tuple(re.findall(r"&?\w+<[\w,]+>|&?\w+", given))
        made = Signature(parameters, result, python, "*" in marks, marks == "!", marks == "!!")
        found[name] = (*found.get(name, ()), made)
    return found


FUNCTIONS = _table(STRINGS + COLLECTIONS + NUMBERS + TIMES + FILES)
NAMED = {"tm": TIME_PARTS, "form": TIME_FORMS}


def gives_more(name: str, arguments: Sequence[object]) -> bool:
    """Whether a call may change one of its arguments and has a result: it is written as lines."""
    takers = [s for s in FUNCTIONS.get(name, ()) if len(s.parameters) == len(arguments)]
    return bool(takers) and all(s.outs for s in takers)


def matches(pattern: str, kind: SplType, found: Found) -> bool:
    """Whether a type is as a pattern says; what the letters stand for goes into `found`."""
    pattern = pattern.removeprefix("&")
    if pattern in NAMED:
        return unbounded(kind) == NAMED[pattern]
    if "<" in pattern:
        name, inner = pattern[:-1].split("<", 1)
        return isinstance(kind, Collection) and kind.kind == name and all(
            matches(p, part, found) for p, part in zip(inner.split(","), kind.parts, strict=True))
    kind = unbounded(kind)
    if len(pattern) > 1:
        return kind == Primitive(pattern)
    if not LETTERS.get(pattern, lambda _: True)(kind):
        return False
    known = found.setdefault(pattern, kind)
    return known == kind or (isinstance(known, OptionalOf) and kind in (NULL, known.item))


def meaning(pattern: str, found: Found) -> SplType | None:
    """The type that a pattern is; None where a letter is not known yet."""
    pattern = pattern.removeprefix("&")
    if pattern == "void":
        return VOID
    if pattern in NAMED:
        return NAMED[pattern]
    if "<" in pattern:
        name, inner = pattern[:-1].split("<", 1)
        parts = tuple(meaning(p, found) for p in inner.split(","))
        return None if None in parts else Collection(name, parts)
    return found.get(pattern) if len(pattern) == 1 else Primitive(pattern)
