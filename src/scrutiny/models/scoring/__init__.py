"""Likelihoods of sentences: what is masked, shared and summed; the model is asked by the caller."""
