"""JSON documents.

    files.py  JSON documents as sources: the values of an array, or a single one
"""
