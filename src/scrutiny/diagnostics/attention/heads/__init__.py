"""Heads as classifiers of an annotation."""
