"""Edits of texts: applied, composed, and followed by annotations, answers and words."""
