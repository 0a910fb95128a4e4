"""Heads that find the heads of words."""
