"""Estimates and verdicts from the records of a run."""
