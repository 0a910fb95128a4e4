"""Stereotypes: pairs and triples of sentences, and sets of words, that differ in a group."""
