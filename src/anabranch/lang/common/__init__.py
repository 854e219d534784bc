"""What the languages share: expressions and types, from their grammar to Python source.

A language imports the rules of `expressions.lark` and `types.lark` and extends them, adds to the
tables of built-in functions, and reuses reading, scopes, checking and code generation:

    text --reading--> syntax --checking--> terms --generating--> Python source --code--> Function

Depends on `source`, `errors` and `ir`; the languages depend on it.
"""
