"""Do a synchronized operator's functions fit together? Equations are tried on states that can be reached."""
