"""What is known of Python's functions and classes, and of NumPy; all else is not.

    arrays.py     NumPy: its functions compute, but for those named here. Views are the array itself
    functions.py  Built-in functions, and those that work on functions, iterators and collections
    methods.py    The methods of built-in classes: which change their object, and what they give
    modules.py    Modules of the standard library: which only compute, and what functions give
"""
