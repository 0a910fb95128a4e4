"""Competence: whether a language model knows enough language for other diagnostics."""
