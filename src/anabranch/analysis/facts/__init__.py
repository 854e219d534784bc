"""The facts of every operator, one fact for each module."""
