"""Intervals for new items, new replicates (seeds), or both; of one side or of two."""
