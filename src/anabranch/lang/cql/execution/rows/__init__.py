"""What the operators of a CQL program do with rows, one instant after another.

Every queue between operators carries exactly one batch for each instant (the timestamps that occur
in the inputs, and the times at which rows leave windows): the changes of a relation, or the new
rows of a stream. So an operator with two inputs pairs their batches one by one, an instant is
complete when its batch is there, and the work of an instant follows its changes.

    batches.py    The items between the operators of a CQL program: batches, shards, times
    expiry.py     When a window changes though no row comes: the times at which rows leave it
    folds.py      Aggregates that take values in and out again, in any order, with one result
    operators.py  Operators on rows: windows, groups, joins, marks on rows, and streams of changes
"""
