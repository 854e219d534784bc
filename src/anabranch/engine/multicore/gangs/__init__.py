"""Synchronized stages: one state, forked for several workers when that pays."""
