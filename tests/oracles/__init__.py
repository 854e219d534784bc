"""Slow and obvious definitions that engines and rewrites are compared with."""
