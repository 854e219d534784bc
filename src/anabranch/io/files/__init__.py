"""Files: which ones a path names; they appear whole, written by one run at a time."""
