"""Robustness: how much worse a model gets after changes that should not matter."""
