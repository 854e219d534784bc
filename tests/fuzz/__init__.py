"""Searches for wrong answers with new seeds, for as long as one likes: `make fuzz`.

    __main__.py       runs every search of this folder, and keeps what they find in out/fuzz
    user_programs.py  programs as users write them, on every engine, tier and degree
    properties.py     the property tests, with new examples: schedules, languages, files
    kills.py          runs that are ended from outside, at any moment
    mutated_programs.py  wrong programs of every language
    wrong_programs.py    damaged programs in SPL and River
    data_files.py     damaged and odd data files
    odd_files.py      what is odd in them: columns, types, layouts, notations of times
    programs.py       writes a program from one seed
    grammar.py        its expressions and statements
    hidden.py         state and effects that hide in them
    inputs.py         its records and its data, in every format
    engines.py        runs a program in every configuration, and compares
    shrink.py         makes a failing program small
    conftest.py       puts back what tests change in the interpreter

A search is a module with `main(seconds, seed)`, which gives a list of findings: a title, and the
text of a file that shows the failure. A finding that has been repaired becomes a fixed test.
"""
