"""Contrast sets: items, and versions of each that experts changed (Gardner et al. 2020)."""
