"""Attention heads as classifiers of an annotation."""
