"""Significance: exact p-values, multiple tests, verdicts, and the power of a design."""
