"""Transformations of words: synonyms, inflections, numbers, words that a model predicts."""
