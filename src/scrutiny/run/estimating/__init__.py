"""Estimates, contrasts and verdicts from the records of a run."""
