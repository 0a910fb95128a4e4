"""Wording: names, numbers, verdicts and changed texts as people read them."""
