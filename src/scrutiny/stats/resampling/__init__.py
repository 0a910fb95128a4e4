"""Resampling: which rows are drawn together, how often, and a statistic of every draw."""
