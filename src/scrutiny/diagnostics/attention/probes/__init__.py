"""Probes: syntax trees from all heads together."""
