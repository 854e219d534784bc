"""Python objects as sources and sinks, taken exactly as their types say.

    objects.py    Python objects as sources and sinks: iterables, generators, lists, callbacks
    snapshots.py  Python items as they are when a source hands them out, exactly of their type
"""
