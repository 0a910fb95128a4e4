"""Distances between output distributions: given in full, as samples, or as texts."""
