"""What runs a Sawzall program: values, text, times, patterns, folds, input, and output."""
