"""What runs a Sawzall program: values, text, times, patterns, folds, output.

    conversions.py  Conversions between basic types, with parameters: bases, encodings, zones
    folds.py        The tables' aggregators, and sums that do not depend on the order
    messages.py     Protocol buffers as values: tuples that know which of their fields were there
    numbers.py      Functions of numbers as in C's library, chance, and fingerprints of `szl`
    output.py       What happens to an emitted value, and where text goes: streams, files, commands
    regexes.py      Regular expressions in the notation of Perl, as those of Python; sawing by them
    runs.py         Runs the function of a record over blocks of lines, and reduces what they add
    samples.py      Aggregators of many values: quantiles, samples, how sure a sum is
    texts.py        Strings and bytes: `format`, replacing, lines of CSV, compression, and base 64
    times.py        Times: microseconds since 1970, as calendars and clocks of time zones show
    values.py       Operations on values, and values as text. What has no value raises `Undefined`
    native/         Counting in machine code: some programs become one compiled loop over the bytes
"""
