"""The operators of SPL's toolkits, each lowered to operators of ours.
"""
