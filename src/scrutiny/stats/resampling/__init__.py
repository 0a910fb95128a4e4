"""Resampling: units that are drawn together, draws, and a statistic on every draw."""
