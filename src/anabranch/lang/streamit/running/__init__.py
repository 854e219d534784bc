"""What generated text calls, in both tiers: plain Python, and compiled."""
