"""What generated code calls while it runs: Python's results to the last bit.

    atomics.py  Atomic numbers, which several threads read and change, and the processor's clock
    libm.py     The C library's functions of real numbers, called as Python's `math` does
    numbers.py  Arithmetic of generated code: Python's results to the last bit, or `Bail`
    strings.py  Texts as numbers: equal texts have one code, from 0 in order of appearance
    tables.py   Key tables: from a key to a dense slot, in the order of first appearance
    times.py    Parts of a timestamp, which is a number of microseconds since 1970
"""
