"""CQL over whole columns: many instants at once, for inputs that are files.

    inputs --slices--> steps of the algebra --delta by delta--> sinks

A slice has all rows of some instants; every step takes the changes of its relations in a slice, as
columns, and gives those of its result. What columns cannot hold exactly, or a row that is wrong,
ends the run with `Unfinished`: the engine then begins anew with the operators of the graph, which
give the same output, and leaves out what has been written.
"""
