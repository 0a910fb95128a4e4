"""Attributions: which words an answer hangs on, and whether that may be believed."""
