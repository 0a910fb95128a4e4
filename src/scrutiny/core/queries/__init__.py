"""Queries: what models can be asked beyond predictions, and their answer types."""
