"""Wording: names, numbers, verdicts and changed texts for readers."""
