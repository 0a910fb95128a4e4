"""Answers of models: queries, results, and their validation."""
