"""Querying models: cache look-ups, batching by pace, storing answers."""
