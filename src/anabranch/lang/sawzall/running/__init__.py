"""What generated programs call: operations on values, and the folds behind the tables."""
