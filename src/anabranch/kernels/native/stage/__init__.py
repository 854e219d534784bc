"""A stage's operators as the text of one module: functions, windows, and columns in and out."""
