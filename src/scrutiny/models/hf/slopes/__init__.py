"""Gradients of transformers by inputs, and by weights."""
