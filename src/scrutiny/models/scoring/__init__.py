"""Likelihoods of sentences: alignment, masking, reduction; the model is asked by the caller."""
