"""Metrics of attention heads: single heads, chosen heads, agreement between heads."""
