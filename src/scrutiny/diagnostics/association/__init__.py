"""Associations in a model's vectors: association tests, and clusters of their targets."""
