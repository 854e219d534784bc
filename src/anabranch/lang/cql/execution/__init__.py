"""What runs a CQL program: operators on rows, and on columns where the inputs are files."""
