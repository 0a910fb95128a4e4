"""Core values and protocols: examples, records, estimates, claims, plans; standard library only."""
