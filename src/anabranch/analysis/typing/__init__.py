"""The types of a function's expressions, and what is wrong with a program before it runs."""
