"""From file to file: W1 to W4 and two applications, against what users would pick instead."""
