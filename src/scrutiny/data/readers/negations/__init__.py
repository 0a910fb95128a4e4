"""Readers of corpora of negation: one file for each format."""
