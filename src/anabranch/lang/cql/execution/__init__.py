"""What runs a CQL program: operators on rows, or on columns for inputs from files.

    columns/  CQL over whole columns: many instants at once, for inputs that are files
    rows/     What the operators of a CQL program do with rows, one instant after another
"""
