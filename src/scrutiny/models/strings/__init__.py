"""Strings that name models, what they lead to, and what a training left there."""
