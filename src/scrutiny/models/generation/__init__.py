"""Models that write texts: translation."""
