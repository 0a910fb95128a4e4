"""Attention heads that find syntactic heads of words."""
