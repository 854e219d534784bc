# ruff: noqa: UP031, UP032
"""Texts: methods, slices, formats and patterns."""

import re
import string
import textwrap
import unicodedata

from soundness.items import VISITS

VOWELS = "aeiou"
STOP = frozenset({"pi", "rho"})
WORD = re.compile(r"[a-z]+")
PAGE = re.compile(r"/(?P<folder>\w+)/(?P<name>\w+)\.html")
TEMPLATE = "{word}:{n:04d}"
CODES = {"alpha": "A", "beta": "B"}


def map_upper(t):
    return t.word.upper()


def map_title_and_strip(t):
    return f"  {t.word} ".strip().title()


def map_replace(t):
    return t.word.replace("a", "4").replace("e", "3")


def map_slices(t):
    return t.word[::-1] + t.word[1:3] + t.word[-1]


def filter_startswith(t):
    return t.word.startswith(("a", "b")) or t.word.endswith("i")


def filter_in_text(t):
    return "a" in t.word and t.word not in STOP


def map_f_string(t):
    return f"{t.word!r:>10}|{t.x:8.3f}|{t.n:,}|{t.n:#x}"


def map_nested_format(t):
    width = 3 + t.n % 5
    return f"{t.word:*^{width}}"


def map_percent(t):
    return "%s-%03d %.2f" % (t.word, t.n, t.x)


def map_str_format(t):
    return "{}/{}/{:>5}".format(t.word, t.n, t.key)


def map_template_constant(t):
    return TEMPLATE.format(word=t.word, n=t.n)


def map_join(t):
    return "-".join(str(x) for x in t.xs)


def map_join_letters(t):
    return "".join(c for c in t.word if c not in VOWELS)


def flat_map_split(t):
    return f"{t.word} {t.note or ''} {t.n}".split()


def flat_map_letters(t):
    for letter in t.word:
        if letter.isalpha():
            yield letter


def map_partition(t):
    head, _, tail = t.word.partition("a")
    return tail + head


def map_count_letters(t):
    return sum(1 for c in t.word if c in VOWELS)


def map_count_method(t):
    return t.word.count("a") + t.word.find("b")


def map_encode(t):
    return len(t.word.encode("utf-8"))


def map_decode(t):
    return t.word.encode().hex()


def map_ord_chr(t):
    return "".join(chr((ord(c) - 97 + 13) % 26 + 97) for c in t.word)


def map_zfill(t):
    return str(t.n).zfill(5).rjust(8, ".")


def map_removeprefix(t):
    return t.word.removeprefix("al").removesuffix("ta")


def map_translate(t):
    return t.word.translate(str.maketrans("abc", "xyz"))


def map_casefold_compare(t):
    return t.word.casefold() == (t.note or "").casefold()


def map_lookup(t):
    return CODES.get(t.word, t.word[:1])


def map_regex_search(t):
    found = PAGE.search(t.page)
    return found.group("name") if found else ""


def map_regex_groups(t):
    if (found := PAGE.match(t.page)) is None:
        return ("", "")
    return found.groups()


def flat_map_regex_findall(t):
    return WORD.findall(t.page)


def map_regex_sub(t):
    return re.sub(r"[aeiou]", "_", t.word)


def map_regex_sub_with_function(t):
    return WORD.sub(lambda m: m.group().upper(), t.page)


def map_regex_split(t):
    return re.split(r"[/.]", t.page)


def filter_regex_fullmatch(t):
    return re.fullmatch(r"[a-m]+", t.word) is not None


def map_textwrap(t):
    return textwrap.shorten(t.word * 3, width=12, placeholder="..")


def map_string_constants(t):
    return all(c in string.ascii_lowercase for c in t.word)


def map_unicode(t):
    return unicodedata.normalize("NFC", t.word + "e\u0301")


def map_split_lines(t):
    return [line.strip() for line in f"{t.word}\n {t.n}\n".splitlines() if line]


def map_palindrome(t):
    letters = [c for c in t.word.lower() if c.isalnum()]
    return letters == letters[::-1]


def map_acronym(t):
    return "".join(part[0].upper() for part in t.page.split("/") if part)


def map_sorted_letters(t):
    return "".join(sorted(set(t.word)))


def filter_digits(t):
    return str(t.n).isdigit() and not str(t.n).endswith("0")


def map_camel_case(t):
    first, *rest = f"{t.word}_{t.note or 'none'}".split("_")
    return first + "".join(word.capitalize() for word in rest)


def map_best_word(t):
    return max((t.word, t.note or ""), key=len)


def map_replace_field(t):
    return t.replace(word=t.word.upper(), note=None)


USES = dict.fromkeys(["map_regex_search", "map_regex_groups", "flat_map_regex_findall",
                      "map_regex_sub_with_function", "map_regex_split", "map_acronym"], VISITS)
