"""Stages in worker processes: who is given what, and how buckets of keys change hands."""
