"""The user's functions as the text of native code: statements and expressions, part by part."""
