"""Matched random changes: the same amount of change, at random other places."""
