"""Intervals, by what was sampled: items, replicates, or both crossed; one side or two."""
