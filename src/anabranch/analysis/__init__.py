"""What is known of a program before it runs, each fact with its reason.

Depends on `ir` alone. Rooms: `typing`, the types of expressions, and wrong programs; `effects`,
what functions do besides computing; `facts`, state, selectivity, forwarding and order of every
operator.
"""
