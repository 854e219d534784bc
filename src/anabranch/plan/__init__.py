"""Plans: what may run in parallel (logical), how one engine runs it (physical), and plans of workers (sync)."""
