"""Coreference: which words of a text refer to the same person or thing."""
