"""Values and protocols of all else: examples, records, estimates, claims, plans."""
