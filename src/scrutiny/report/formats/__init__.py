"""Formats of a report: HTML page, LaTeX, Markdown, CSV, NDJSON, notebook."""
