"""Heads that find antecedents."""
