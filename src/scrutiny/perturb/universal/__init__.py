"""Transformations that make sense for any task."""
