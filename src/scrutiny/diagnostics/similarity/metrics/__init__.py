"""Metrics of two models: their answers, their vectors, drift."""
