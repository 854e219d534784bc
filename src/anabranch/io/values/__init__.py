"""Values and their codecs: from a cell's text, a JSON value or a native value, and back."""
