"""A run on disk: tables, journal, answer cache; and the cache folder of all runs."""
