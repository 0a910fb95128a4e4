"""Similarity of two representations of the same items, with intervals and chance levels."""
