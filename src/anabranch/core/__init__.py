"""What lies below everything: places in the user's text, errors, and small tools.

Imports nothing of the rest of the package.
"""
