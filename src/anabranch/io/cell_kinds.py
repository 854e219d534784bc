"""What compiled loops make of the cells of a text, and what they say of it."""

SKIPPED, WHOLE, DECIMAL, TEXT, TRUTH = range(5)
"""What is made of a column's cells: nothing, ints, floats, texts, bools."""

COMPLETE, UNFINISHED, DOUBTFUL = range(3)
"""How the reading of a block ends: with the block, in a row that goes on behind it, or at a row
that only the reading of rows can judge."""

THERE, NOTHING, LATER = range(3)
"""What is in a cell: its value, nothing, or a value that is read later, by its text."""

NOWHERE = -1
"""The place of what is not there."""
