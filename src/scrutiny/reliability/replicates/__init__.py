"""Replicates compared: agreement of their estimates, spread, and tests."""
