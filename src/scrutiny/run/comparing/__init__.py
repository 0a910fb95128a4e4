"""Comparison of two runs: which inputs changed, and whether it is worse.

The answers of two models side by side are in `scrutiny.diagnostics.similarity.side_by_side`: they
are on the page of any run with two models.
"""
