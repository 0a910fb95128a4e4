"""Splits of data: into training, development and test parts, random or hard, and their record."""
