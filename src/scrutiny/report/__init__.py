"""Reports of a finished run, by subject; each with its terminal, page and Markdown beside it.

Nothing here knows a diagnostic but what compares two runs: estimates carry their identity, claims
come as findings, sections of a family are found in the registry.
"""
