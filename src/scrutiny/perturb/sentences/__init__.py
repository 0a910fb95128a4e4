"""Transformations of sentences: added ones, and translation back and forth."""
