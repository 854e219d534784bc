"""The state of a stage: its arrays, its collections, and its way to bytes and to rows."""
