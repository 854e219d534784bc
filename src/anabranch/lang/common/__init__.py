"""What the languages share: expressions and types, from their grammar to Python source.

A language imports the rules of `expressions.lark` and `types.lark` and extends them, adds to the
tables of built-in functions, and reuses its parser, scopes, checker and code generator:

    text --parser--> syntax --check--> terms --codegen--> Python source and functions

Depends on `source`, `errors` and `ir`; the languages depend on it.
"""
