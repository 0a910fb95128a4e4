"""Formats: the same report as a page, in LaTeX, Markdown, CSV, NDJSON or a notebook."""
