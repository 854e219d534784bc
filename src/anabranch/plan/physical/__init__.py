"""The physical plan: how one engine runs a program, stage by stage. Engines execute it as it is."""
