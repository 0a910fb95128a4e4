"""Whether a model's confidence is what its accuracy says."""
