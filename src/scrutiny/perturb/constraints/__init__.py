"""Constraints: which candidate edits of a text are allowed.

A constraint never changes an edit; it refuses it with a stable ``reason``. Those that need a
model or a checker find it in the document's ``resources`` and have no hidden default.
"""
