"""Suites: cases with what is expected of each answer: behavioral tests, contrast sets, attacks."""
