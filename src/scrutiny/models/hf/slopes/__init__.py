"""Slopes of networks of transformers: with regard to their inputs, and to their weights."""
