"""Suites: frozen cases, each a text with what is expected of the answer to it."""
