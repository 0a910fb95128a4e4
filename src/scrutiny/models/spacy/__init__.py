"""Pipelines of spaCy: parsers and taggers."""
