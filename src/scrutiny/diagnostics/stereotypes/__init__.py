"""Stereotypes: whether a language model finds them more likely than their opposites."""
