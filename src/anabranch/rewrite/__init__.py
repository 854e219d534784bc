"""Rewrites: hoist selections, fuse, form parallel regions, place. One rule per file.

Depends on ir, analysis and plan; engines depend on it. A rewrite gives a new graph.
"""
