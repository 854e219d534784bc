"""Workers of a synchronization plan: messages in, messages out. Engines carry the messages."""
