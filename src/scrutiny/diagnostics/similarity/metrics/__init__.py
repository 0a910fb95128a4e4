"""Metrics of two models side by side: their answers, their vectors, drift."""
