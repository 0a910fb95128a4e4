"""Leakage: how much of the evaluation text is in the training data."""
