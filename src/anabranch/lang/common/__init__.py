"""What the languages share: expressions and types, from grammar to Python source.

A language imports the rules of `expressions.lark` and `types.lark` and extends them, adds to the
tables of built-in functions, and reuses its parser, scopes, checker and code generator:

    text --parser--> syntax --check--> terms --codegen--> Python source and functions

Depends on `core` and `ir`; the languages depend on it.

    check.py       From syntax to terms: names are looked up, overloads chosen, types checked
    codegen.py     From terms to Python source, and from that to functions with a scope of their own
    depth.py       Deeper calls than Python allows by itself, for programs that are nested deeply
    parser.py      From text to syntax, or to an error in plain words: what all parsers extend
    runtime.py     What generated code calls: operations whose meaning is not Python's own
    statements.py  Statements that languages with functions share: blocks, branches, loops, results
    syntax.py      Expressions as they are written, and as text again; nothing is looked up yet
    terms.py       Checked expressions: names and functions are resolved, every part has a type
"""
