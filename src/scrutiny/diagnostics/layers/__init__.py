"""Layers: what the vectors of words hold at each layer, beside controls."""
