"""Attention of networks of transformers: maps, norms of values, changed heads."""
