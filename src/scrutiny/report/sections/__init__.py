"""Sections that any run may have, whatever it measured."""
