"""Inside the engines, with streams in memory: order, scaling, scheduling, latency, skew."""
