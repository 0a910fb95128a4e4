"""Influence of training rows on what a logistic head decides."""
