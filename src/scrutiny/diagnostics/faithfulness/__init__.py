"""Faithfulness of attention: of classifiers with a single layer of it, and of heads of encoders."""
