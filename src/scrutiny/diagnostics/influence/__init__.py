"""Influence of training examples on decisions, and what tests whether it means anything."""
