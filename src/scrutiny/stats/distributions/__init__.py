"""Distances of distributions: what models give as output, in full, as samples, or as texts."""
