"""Querying models in a run: cache look-ups, batching by pace, storing answers, the same model."""
