"""What lies below everything: places in the user's text, errors, and small tools.

Imports nothing of the rest of the package.

    errors.py   Errors as people read them: what went wrong, where, what was expected, what to do
    extras.py   What the extras of this package install, such as `pip install 'anabranch[spark]'`
    lazy.py     Modules that are imported when something of them is first asked for
    once.py     A property that is computed once, in objects that several threads have
    scratch.py  Temporary folders; those that a killed process has left, the next one removes
    source.py   Where things stand in the user's text: spans, their excerpts, and the caller's line
    threads.py  Starts threads and processes: nothing else in the package does
"""
