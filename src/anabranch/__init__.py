"""Anabranch: ordered, stateful stream programs that parallelise themselves."""
