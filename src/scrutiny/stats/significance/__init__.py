"""Tests of significance: exact p-values, many tests at once, verdicts; what a design detects."""
