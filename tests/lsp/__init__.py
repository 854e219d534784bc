"""The language server, over the protocol."""
