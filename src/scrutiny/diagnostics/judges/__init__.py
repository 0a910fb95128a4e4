"""Judges: models whose answers are verdicts on answers of others."""
