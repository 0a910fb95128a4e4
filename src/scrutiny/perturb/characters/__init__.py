"""Edits of single characters, one place of one word at a time, for searches to choose from."""
