"""Transformations that make sense for any task; one small file each."""
