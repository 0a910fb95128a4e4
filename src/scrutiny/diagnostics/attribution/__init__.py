"""Attributions: which words an answer hangs on by several methods, and whether that may be believed."""
