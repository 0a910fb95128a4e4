"""Comparison of two models' answers to the same items, for each replicate."""
