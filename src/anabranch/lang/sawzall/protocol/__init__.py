"""Protocol buffers: tuples whose fields have tags, and the files that declare them.

    declared.py  Which tuples are messages: the checks of a declaration, `proto T`, and their codes
    files.py     Files of protocol buffers, as declarations of the types of their messages
"""
