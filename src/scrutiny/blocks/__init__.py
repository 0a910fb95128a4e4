"""Building blocks of a report: a finished run as values, words, charts and sections.

Families of diagnostics build their sections of them. Nothing here knows a family, or how a run is
stored.
"""
