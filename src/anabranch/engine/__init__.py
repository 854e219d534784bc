"""The engines: each runs a plan and gives the sequential engine's output sequence."""
