"""Competence of small masked language models, measured on held-out text."""
