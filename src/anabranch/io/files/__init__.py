"""Files: which ones a path names; they appear whole, written by one run at a time.

    locks.py    One run at a time writes a file or a folder
    output.py   Where a writer's bytes go: a file, whole or not at all, or standard output
    packing.py  Compressed texts: the last extension of a name says how they are packed
    paths.py    The files that a path names: a file, a folder's files, or a glob, in their order
    sinks.py    Files as sinks: a file, or a folder of part files, that appears whole or not at all
    sources.py  Files as sources: their items in order, and the fields that their folders give
    stores.py   Where the files of a path are: on this machine, or in a store, which a URI names
    uploads.py  What is written to a store: made on this machine first, and sent by `commit`
"""
