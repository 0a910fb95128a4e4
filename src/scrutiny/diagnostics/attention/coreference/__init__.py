"""Attention heads that find antecedents."""
