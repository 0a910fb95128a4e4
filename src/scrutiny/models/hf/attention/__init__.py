"""Attention of transformers: maps, norms of values, changed heads."""
