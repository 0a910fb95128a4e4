"""Annotated sentences: words with labels that heads and vectors are compared with."""
