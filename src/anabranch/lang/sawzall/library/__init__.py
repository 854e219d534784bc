"""What generated code calls: values, text, times, patterns, folds, output.

    aggregates.py   Tables as aggregates: what blocks add is joined, and told at the end in order
    body.py         The body of a program: from a block of lines to what its records show and emit
    conversions.py  Conversions between basic types, with parameters: bases, encodings, zones
    emissions.py    What the records of a block show and emit, as generated code puts it down
    folds.py        The tables' aggregators, and sums that do not depend on the order
    messages.py     Protocol buffers as values: tuples that know which of their fields were there
    numbers.py      Functions of numbers as in C's library, chance, and fingerprints of `szl`
    output.py       What happens to an emitted value, and where text goes: streams, files, commands
    regexes.py      Regular expressions in the notation of Perl, as those of Python; sawing by them
    samples.py      Aggregators of many values: quantiles, samples, how sure a sum is
    texts.py        Strings and bytes: `format`, replacing, lines of CSV, compression, and base 64
    times.py        Times: microseconds since 1970, as calendars and clocks of time zones show
    values.py       Operations on values, and values as text. What has no value raises `Undefined`
"""
