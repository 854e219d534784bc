"""Synchronization plans: programs that keys cannot split, as trees of workers that fork and join one state."""
