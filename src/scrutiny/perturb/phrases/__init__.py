"""Transformations of phrases: names, places, entities, negations, abbreviations."""
