"""Attention heads: hypotheses about annotations, tested for each head."""
