"""Tagging: labeled spans of a text (named entities and the like)."""
