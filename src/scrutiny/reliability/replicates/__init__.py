"""Replicates compared: agreement of their estimates, spread, stability of items, and tests."""
