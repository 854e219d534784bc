"""The languages that programs are written in: each reads its text and builds a graph."""
