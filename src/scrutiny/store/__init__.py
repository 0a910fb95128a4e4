"""A run on disk: tables, journal, answer cache."""
