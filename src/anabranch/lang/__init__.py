"""The languages that programs are written in: each reads its text and builds a graph.

    failure.py   What loading a program raised, told at the user's line
    python.py    Programs in Python: a module that builds streams; running the file builds the graph
    registry.py  The languages by the extension of the file, and the options that each takes
    river.py     Programs in River: a `.river` file for the topology, `.py` beside it for functions
    text.py      The text of a program: as it is on disk, or as an editor has it unsaved
    common/      What the languages share: expressions and types, from grammar to Python source
    cql/         CQL, the continuous query language, as a language of programs
    sawzall/     Sawzall as a language of programs: what to do with a record, tables adding it up
    spl/         SPL: the stream processing language of System S and its successors, as a front-end
    streamit/    StreamIt: synchronous dataflow programs
"""
