"""Columns: coded values, and items that are made of columns when they are asked for."""
