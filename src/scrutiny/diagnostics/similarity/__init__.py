"""Similarity of two models: of their answers to the same items, and of their vectors."""
