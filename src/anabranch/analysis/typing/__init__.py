"""The types of a function's expressions, and what is wrong with a program before it runs.

- `inference`: the type of what a function gives
- `types`: types as inference uses them
- `statements`, `expressions`, `calls`, `operations`: one function, part by part
- `constructors`: calls that make records and states
- `complaints`: what is said of a wrong program
"""
