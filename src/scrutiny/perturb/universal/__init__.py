"""Transformations for any task."""
