"""Reliability: estimates from records, and verdicts from estimates; arrays only, no I/O."""
