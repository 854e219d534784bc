"""Python objects as sources and sinks, taken exactly as their types say."""
